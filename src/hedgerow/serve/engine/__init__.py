"""The machines' turns and analysis: a fair queue, processes that think, jobs for engine workers."""
