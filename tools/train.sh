#!/bin/sh
# Trains the two networks of vision/models anew: card faces and fonts from npm and Debian packages,
# PyTorch in an environment of its own, everything under .train. One to two hours on two cores.
# Photographs of ../shared/vision/finetune are taken where they are there.
# Needs: npm, apt-get (no root), dpkg-deb, rsvg-convert (librsvg2-bin).
set -eu
cd "$(dirname "$0")/.."
for tool in npm apt-get dpkg-deb rsvg-convert python3; do
  command -v "$tool" >/dev/null || { echo "make train: $tool is missing" >&2; exit 1; }
done
mkdir -p .train/npm .train/deb
[ -x .train/venv/bin/python ] || {
  python3 -m venv .train/venv
  .train/venv/bin/pip -q install torch==2.13.0 "numpy>=2.0,<3" "opencv-python-headless>=5.0,<6" \
    "msgspec>=0.21,<1" "pillow>=11,<13" "fonttools>=4.50,<5" "onnx>=1.17,<2"
}
(cd .train/npm && npm install --silent --ignore-scripts --legacy-peer-deps --no-save \
  @heruka_urgyen/react-playing-cards@0.5.0 svg-cards@4.0.2 \
  @younestouati/playing-cards-standard-deck@3.0.0)
packages="gnome-cards-data kdegames-card-data-kf5 mate-backgrounds propaganda-debian gnome-backgrounds
  fonts-dejavu-core fonts-dejavu-extra fonts-liberation fonts-freefont-ttf fonts-lato fonts-roboto-unhinted
  fonts-roboto-slab fonts-open-sans fonts-cantarell fonts-crosextra-carlito fonts-crosextra-caladea
  fonts-comfortaa fonts-cabin fonts-bebas-neue fonts-league-spartan fonts-quicksand fonts-play
  fonts-inconsolata fonts-hack fonts-firacode fonts-junicode fonts-linuxlibertine fonts-ebgaramond
  fonts-cardo fonts-oldstandard fonts-sil-gentium fonts-tuffy fonts-courier-prime fonts-gfs-didot
  fonts-gfs-artemisia fonts-gfs-neohellenic fonts-jura fonts-sora fonts-yanone-kaffeesatz fonts-vollkorn
  fonts-goudybookletter fonts-fanwood fonts-prociono fonts-adf-accanthis fonts-adf-baskervald
  fonts-adf-gillius fonts-adf-romande fonts-adf-universalis fonts-adf-verana fonts-adf-ikarius
  fonts-adf-irianis fonts-adf-libris fonts-adf-mekanus fonts-adf-tribun fonts-adf-berenis"
for package in $packages; do
  [ -e ".train/deb/$package.done" ] && continue
  (cd .train/deb && apt-get -qq download "$package" && dpkg-deb -x "$package"_*.deb root && rm "$package"_*.deb)
  touch ".train/deb/$package.done"
done
exec .train/venv/bin/python -m vision.training .train ../shared/vision/finetune
