"""What runs the server: the application, its processes and protocols, logs, backups, an operator's tools."""
