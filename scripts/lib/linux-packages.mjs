import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './node.mjs'

// Makes deb and rpm packages with dpkg-deb and rpmbuild from electron-builder's folder. Both contain the same files.
// electron-builder's own targets would download another program.

const debArch = { x64: 'amd64', arm64: 'arm64' }
const rpmArch = { x64: 'x86_64', arm64: 'aarch64' }
const unpackedFolder = { x64: 'linux-unpacked', arm64: 'linux-arm64-unpacked' }

const id = 'org.deskforge.desktop'
// A publisher sets both, as the release workflow does. The package formats require an address.
const { DESKFORGE_MAINTAINER, DESKFORGE_HOMEPAGE: homepage } = process.env
const maintainer = DESKFORGE_MAINTAINER || 'The Deskforge developers <deskforge@example.org>'
const summary = 'software forge that lives on your desktop'
const description = [
  'Projects with git repositories, merge requests with reviews, issues and',
  'pipelines, on one computer and without a network. Tools that speak the',
  'GitLab REST API v4 work with it.',
]

/** The system packages that Chromium needs, by the names of both families. */
const debDepends = [
  'libgtk-3-0 | libgtk-3-0t64',
  'libnss3',
  'libnotify4',
  'libsecret-1-0',
  'libasound2 | libasound2t64',
  'xdg-utils',
  'libc6',
]
const rpmRequires = ['gtk3', 'nss', 'libnotify', 'libsecret', 'xdg-utils']

function has(program) {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

function put(tree, path, content) {
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  writeFileSync(join(tree, path), content)
}

/** Debian's rules for file modes: folders and programs 755, other files 644. */
function setModes(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) continue
    if (entry.isDirectory()) setModes(path)
    const isProgram = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0
    chmodSync(path, isProgram ? 0o755 : 0o644)
  }
  chmodSync(folder, 0o755)
}

/** Writes the folder tree of the installed files. The updater of the application reads `kind` (deb or rpm). */
export function linuxTree(unpacked, tree, kind) {
  rmSync(tree, { recursive: true, force: true })
  cpSync(unpacked, join(tree, 'usr/lib/deskforge'), { recursive: true, verbatimSymlinks: true })
  // The entries for desktops, which a package has in the system's folders.
  rmSync(join(tree, 'usr/lib/deskforge/usr'), { recursive: true, force: true })
  put(tree, 'usr/lib/deskforge/resources/package-type', kind)
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  symlinkSync('../lib/deskforge/deskforge', join(tree, 'usr/bin/deskforge'))
  for (const [from, to] of [
    [`build/linux/${id}.desktop`, `usr/share/applications/${id}.desktop`],
    [`build/linux/${id}.metainfo.xml`, `usr/share/metainfo/${id}.metainfo.xml`],
    ['build/icon.png', `usr/share/icons/hicolor/1024x1024/apps/${id}.png`],
    ['build/icon.svg', `usr/share/icons/hicolor/scalable/apps/${id}.svg`],
  ]) {
    mkdirSync(dirname(join(tree, to)), { recursive: true })
    cpSync(join(root, from), join(tree, to))
  }
  setModes(tree)
  // Chromium's sandbox on kernels that give users no namespaces.
  const sandbox = join(tree, 'usr/lib/deskforge/chrome-sandbox')
  if (existsSync(sandbox)) chmodSync(sandbox, 0o4755)
}

const overrides = [
  '# Electron brings Chromium and its libraries; they are shared with nothing.',
  'deskforge: embedded-library *',
  'deskforge: unstripped-binary-or-object *',
  '# The sandbox of Chromium.',
  'deskforge: elevated-privileges 4755 root/root [usr/lib/deskforge/chrome-sandbox]',
  '',
].join('\n')

export function packDeb({ unpacked, folder, arch, version }) {
  const tree = join(folder, `.deb-${arch}`)
  linuxTree(unpacked, tree, 'deb')
  const licence = readFileSync(join(root, 'LICENSE'), 'utf8')
  put(
    tree,
    'usr/share/doc/deskforge/copyright',
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Deskforge\n\nFiles: *\nCopyright: The Deskforge developers\nLicense: Expat\n${licence
      .trimEnd()
      .split('\n')
      .map((line) => ` ${line === '' ? '.' : line}`)
      .join('\n')}\n`,
  )
  const date = execFileSync('date', ['-R', '-u', '-d', '@0'], { encoding: 'utf8' }).trim()
  const changes = `deskforge (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md for the changes.\n\n -- ${maintainer}  ${date}\n`
  put(tree, 'usr/share/doc/deskforge/changelog.gz', gzipSync(changes, { level: 9 }))
  put(tree, 'usr/share/lintian/overrides/deskforge', overrides)
  const size = execFileSync('du', ['-sk', tree], { encoding: 'utf8' }).split('\t')[0]
  const control = {
    Package: 'deskforge',
    Version: version,
    Section: 'vcs',
    Priority: 'optional',
    Architecture: debArch[arch],
    Maintainer: maintainer,
    'Installed-Size': size,
    Depends: debDepends.join(', '),
    Recommends: 'git (>= 1:2.38)',
    ...(homepage ? { Homepage: homepage } : {}),
    Description: [summary, ...description].join('\n '),
  }
  setModes(join(tree, 'usr/share'))
  put(
    tree,
    'DEBIAN/control',
    Object.entries(control)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  )
  const file = join(folder, `deskforge_${version}_${debArch[arch]}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', '-Zxz', tree, file], { stdio: 'pipe' })
  rmSync(tree, { recursive: true })
  return file
}

export function packRpm({ unpacked, folder, arch, version }) {
  const tree = join(folder, `.rpm-${arch}`)
  const top = join(folder, `.rpmbuild-${arch}`)
  linuxTree(unpacked, tree, 'rpm')
  const spec = `Name: deskforge
Version: ${version}
Release: 1
Summary: S${summary.slice(1)}
License: MIT
${homepage ? `URL: ${homepage}\n` : ''}Vendor: The Deskforge developers
Packager: ${maintainer}
AutoReqProv: no
${rpmRequires.map((name) => `Requires: ${name}`).join('\n')}

%description
${description.join('\n')}

%install
cp -a ${tree}/. %{buildroot}/

%files
%defattr(-,root,root,-)
/usr/bin/deskforge
/usr/lib/deskforge
/usr/share/applications/${id}.desktop
/usr/share/metainfo/${id}.metainfo.xml
/usr/share/icons/hicolor/1024x1024/apps/${id}.png
/usr/share/icons/hicolor/scalable/apps/${id}.svg
`
  mkdirSync(top, { recursive: true })
  writeFileSync(join(top, 'deskforge.spec'), spec)
  // Keeps rpmbuild from stripping Electron's programs and from searching debug information.
  const defines = [
    `_topdir ${top}`,
    `_rpmdir ${folder}`,
    '_build_name_fmt %%{NAME}-%%{VERSION}.%%{ARCH}.rpm',
    'debug_package %{nil}',
    '__os_install_post %{nil}',
    '_build_id_links none',
  ]
  const args = ['-bb', '--target', rpmArch[arch], ...defines.flatMap((one) => ['--define', one])]
  execFileSync('rpmbuild', [...args, join(top, 'deskforge.spec')], { stdio: 'pipe' })
  for (const one of [tree, top]) rmSync(one, { recursive: true })
  return join(folder, `deskforge-${version}.${rpmArch[arch]}.rpm`)
}

/** Makes deb and rpm packages of the unpacked application. Returns a sentence for each package that cannot be made. */
export function packLinux(folder, platforms) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const problems = []
  for (const arch of ['x64', 'arm64'].filter((one) => platforms.includes(`linux-${one}`))) {
    const unpacked = join(folder, unpackedFolder[arch])
    if (!existsSync(unpacked))
      problems.push(`There are no packages for linux-${arch}: nothing is unpacked for it.`)
    else {
      const parts = { unpacked, folder, arch, version }
      if (has('dpkg-deb')) packDeb(parts)
      else problems.push('The deb package was not made: dpkg-deb is not installed.')
      if (has('rpmbuild')) packRpm(parts)
      else problems.push('The rpm package was not made: rpmbuild is not installed.')
    }
  }
  return problems
}
