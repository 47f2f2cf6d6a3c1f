"""The service: a JSON API and web pages over one library, and the process that fills it."""
