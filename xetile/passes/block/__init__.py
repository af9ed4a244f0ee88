"""From subgroup level to blocks of hardware size, and those to xegpu: messages and DPAS by the tables of the target."""
