def escape(text):
    return text.strip()
