"""Uploads files to a slow server."""
