"""The lab: a site's switches on one machine, written from the manuals of their NOS and never from our templates."""
