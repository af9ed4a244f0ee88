L0:
/* [0000]  */ (W)     mov (1|M0)               r5.0<1>:d     r1.36<0;1,0>:ub                  {I@5}
/* [0010]  */ (W)     send.ugm (1|M0)          r1       r255    null:0  0xFF000000            0x6218D500           {A@1,$0} // wr:1+0, rd:1; load.ugm.d32x16t.a32.ca.ca.bti[255]
/* [0020]  */ (W&~f0.1) jmpi                               L512
L48:
/* [0030]  */         bfn.(s0&s1|s2) (1|M0)    r254.1<1>:ud  r16.0<0;0>:ud     r17.0<0;0>:ud     r8.0<0>:ud       {I@5}
L64:
/* [0040]  */ (W)     send.ugm (1|M0)          r36      r254    null:0  0x0            0x2E080203           {I@1,$1} // wr:1+0, rd:31; load_block2d.ugm.d16.a64
/* [0050]  */ (W)     send.ugm (1|M0)          null     r18     null:0  0x0            0x2080203            {I@1,$2} // wr:1+0, rd:0; load_block2d.ugm.d16.a64.ca.ca
/* [0060]  */ (W)     send.dc0 (16|M0)         r2       r0      null:0  0x0            0x024C3090           {$7} // wr:1h+0, rd:4; hword scratch block read x8
/* [0070]  */ (W)     send.dc0 (16|M0)         null     r0      r2:4    0x0            0x020F3090           {A@1,$8} // wr:1h+4, rd:0; hword scratch block write x8
/* [0080]  */         sync.nop                             null                             {Compacted,$7.src}
/* [0088]  */         dpas.8x8 (16|M0)         r245:f        r245:f            r36:hf            r2.0:hf          {Atomic,Compacted,$8.dst}
/* [0090]  */         dpas.8x8 (16|M0)         r213:f        r213:f            r36:hf            r6.0:hf          {Compacted}
/* [0098]  */ (W&f0.0) jmpi                                L64
/* [00A8]  */ (W)     send.slm (1|M0)          r10      r9      null:0  0x0            0x6218D500           {$3} // wr:1+0, rd:1; load.slm.d32x16t.a32
/* [00B8]  */ (W)     send.gtwy (1|M0)         null     r9      null:0  0x0            0x02000004           {$4} // wr:1+0, rd:0; signal barrier
/* [00C8]  */         dpas.8x8 (16|M0)         r213:f        r213:f            r36:hf            r6.0:hf          {Compacted}
/* [00D0]  */ (W&f0.0) while (16|M0)                       L48
L512:
/* [0200]  */ (W)     add (1|M0)               r34.8<1>:d    r254.0<0;1,0>:d   -1:w               {Compacted}
/* [0208]  */ (W)     send.ugm (1|M0)          null     r30     r31:8   0x0            0x20E0407            {$5} // wr:1+8, rd:0; store_block2d.ugm.d32.a64
/* [0218]  */ (W)     send.gtwy (1|M0)         null     r112    null:0  0x0            0x02000010           {EOT,$6} // wr:1+0, rd:0; end of thread
/* [0228]  */         illegal
