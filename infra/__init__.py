"""The Pulumi side of Rackproof: a program that declares a site's plan, and the provider that deploys it."""
