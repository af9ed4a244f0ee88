"""From a call to a result: kernels, their compilation, devices, arrays, settings, and the interface that backends implement."""
