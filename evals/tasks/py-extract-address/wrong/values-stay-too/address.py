class Address:
    def __init__(self, street, zip_code, city):
        self.street = street
        self.zip_code = zip_code
        self.city = city

    def label(self):
        return "\n".join([self.street, f"{self.zip_code} {self.city.upper()}"])
