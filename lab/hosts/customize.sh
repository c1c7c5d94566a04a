#!/bin/sh
# What the packages alone do not make of a folder: a host of the lab. Started by mmdebstrap with the folder to change.
set -eu

root=$1

# The folder's files came with the owner of the checkout.
(cd "$TREE" && find . -type f) | while read -r file; do
    chown root:root "$root/$file"
done
chroot "$root" useradd --create-home --shell /bin/bash --groups sudo rackproof
chmod 0440 "$root/etc/sudoers.d/rackproof"
# What the image was made from is out of a host's reach.
rm -f "$root"/etc/apt/sources.list.d/*
install -d -m 0755 "$root/srv/lab-packages" "$root/etc/rackproof-lab"
[ -e "$root/srv/lab-packages/Packages" ] || : >"$root/srv/lab-packages/Packages"

# One host key, which every lab replaces before anything else; see lab/hosts/identity.py.
rm -f "$root"/etc/ssh/ssh_host_*
install -m 0600 "$KEYS/host_ed25519" "$root/etc/ssh/ssh_host_ed25519_key"
install -m 0644 "$KEYS/host_ed25519.pub" "$root/etc/ssh/ssh_host_ed25519_key.pub"
install -d -m 0700 "$root/home/rackproof/.ssh"
install -m 0600 "$KEYS/bootstrap_ed25519.pub" "$root/home/rackproof/.ssh/authorized_keys"
chroot "$root" sh -c 'chown -R rackproof: ~rackproof/.ssh'

chroot "$root" systemctl --quiet enable systemd-networkd systemd-resolved rackproof-rxe nfs-server ssh
chroot "$root" systemctl --quiet disable systemd-networkd-wait-online apt-daily.timer apt-daily-upgrade.timer
chroot "$root" systemctl --quiet disable e2scrub_all.timer e2scrub_reap.service fstrim.timer dpkg-db-backup.timer
ln -sf /run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
: >"$root/etc/machine-id"
echo lab-host >"$root/etc/hostname"
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"

# The initial RAM disk, for the first time: until here update-initramfs was diverted, see lab/hosts/image.py.
rm "$root/usr/sbin/update-initramfs"
chroot "$root" dpkg-divert --quiet --local --rename --remove /usr/sbin/update-initramfs
chroot "$root" update-initramfs -c -k all

# GRUB reads the kernel command line from the disk, as on a server, so that what the roles set there holds after a
# reboot. It is started as if it were a kernel (lnxboot): the disk needs neither partitions nor a boot sector.
chroot "$root" grub-mkimage --format i386-pc --output /boot/core.img --prefix '(hd0)/boot/grub' \
    biosdisk ext2 configfile normal linux serial terminal echo test search search_fs_uuid all_video gzio
cat "$root/usr/lib/grub/i386-pc/lnxboot.img" "$root/boot/core.img" >"$root/boot/grub.lnx"
rm "$root/boot/core.img"
install -d -m 0755 "$root/boot/grub"
# What update-grub writes on the host itself; here it could not find the disk.
cat >"$root/boot/grub/grub.cfg" <<'EOF'
serial
terminal_output serial
set timeout=0
menuentry 'Debian GNU/Linux' {
    linux /vmlinuz root=/dev/vda ro console=ttyS0 quiet
    initrd /initrd.img
}
EOF
