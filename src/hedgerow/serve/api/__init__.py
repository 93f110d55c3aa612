"""The JSON API, a file per topic, and the sockets; OpenAPI describes it. Thin: they call the rooms below."""
