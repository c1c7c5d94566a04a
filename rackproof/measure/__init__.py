"""Makes a site do something and reads what happens: traffic, counters, outages.

Reading without traffic is in `rackproof/gather`; whether a result is good is decided in `validation`. Start with
`traffic/campaign.py`.
"""
