"""What passes of several stages share: converting modules, carried values, barriers, shared memory."""
