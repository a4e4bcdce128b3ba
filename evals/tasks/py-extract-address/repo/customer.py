class Customer:
    def __init__(self, name, street, zip_code, city):
        self.name = name
        self.street = street
        self.zip_code = zip_code
        self.city = city

    def label(self):
        return "\n".join([self.name, self.street, f"{self.zip_code} {self.city.upper()}"])

    def lives_in(self, city):
        return self.city.lower() == city.lower()
