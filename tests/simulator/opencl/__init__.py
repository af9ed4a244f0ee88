"""OpenCL C programs for the simulator, written against OpenCL's specifications and not against xetile."""
