import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { fetchGit, platforms } from '../../scripts/lib/bundled-git.mjs'
import { packDeb, packRpm } from '../../scripts/lib/linux-packages.mjs'
import { electronStandIn } from '../support/packaging/electron-stand-in.ts'
import { bootServer, unpackArchive } from '../support/packaging/packed.ts'
import { notesOf, writeUpdateLists } from '../../scripts/lib/release-files.mjs'
import { isPossible } from '../support/possible.ts'
import { cleanEnv, root, scratch } from '../support/server-process.ts'

const here = scratch()
afterAll(() => here.clear())

const has = (program: string) =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, program)))
const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' })
const parts = (name: string) => {
  const unpacked = here.path(`${name}-unpacked`)
  electronStandIn(unpacked)
  writeFileSync(join(unpacked, 'deskforge'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  const folder = here.path(name)
  mkdirSync(folder)
  return { unpacked, folder, arch: 'x64' as const, version: '0.1.0' }
}

/** An empty Debian system in a folder. Returns a function that calls dpkg for it. */
function dpkgIn(system: string): (...args: string[]) => string {
  for (const folder of ['updates', 'info', 'triggers'])
    mkdirSync(join(system, 'var/lib/dpkg', folder), { recursive: true })
  for (const name of ['status', 'available']) writeFileSync(join(system, 'var/lib/dpkg', name), '')
  const forced = ['--force-not-root', '--force-depends', '--force-script-chrootless']
  return (...args) => run('dpkg', `--root=${system}`, ...forced, ...args)
}

/** The files of a system, except for the lists of its packages. */
const leftIn = (system: string) =>
  readdirSync(system, { recursive: true, encoding: 'utf8' }).filter((path) => !/^var(\/|$)/.test(path))

describe.runIf(isPossible(has('dpkg-deb'), 'dpkg-deb is not installed.'))('the deb package', () => {
  let file: string
  beforeAll(() => {
    file = packDeb(parts('deb'))
  })

  it('names its maintainer and its dependencies', () => {
    const fields = run('dpkg-deb', '--field', file)
    expect(fields).toMatch(/^Maintainer: The Deskforge developers <.+@.+>$/m)
    expect(fields).toMatch(/^Depends: .*libnss3/m)
  })

  it('contains a program on the path, a desktop file with the URL scheme, an icon and AppStream data', () => {
    const target = here.path('root')
    run('dpkg-deb', '--extract', file, target)
    expect(lstatSync(join(target, 'usr/bin/deskforge')).isSymbolicLink()).toBe(true)
    const desktop = readFileSync(join(target, 'usr/share/applications/org.deskforge.desktop.desktop'), 'utf8')
    expect(desktop).toContain('MimeType=x-scheme-handler/deskforge;')
    expect(existsSync(join(target, 'usr/share/metainfo/org.deskforge.desktop.metainfo.xml'))).toBe(true)
    expect(existsSync(join(target, 'usr/share/icons/hicolor/scalable/apps/org.deskforge.desktop.svg'))).toBe(
      true,
    )
  })

  it('is installed in an empty system, and removed without leftovers', () => {
    const system = here.path('system')
    const dpkg = dpkgIn(system)
    dpkg('--install', file)
    expect(existsSync(join(system, 'usr/bin/deskforge'))).toBe(true)
    dpkg('--purge', 'deskforge')
    expect(leftIn(system)).toEqual([])
  })

  it.runIf(isPossible(has('lintian'), 'lintian is not installed.'))('has no errors for lintian', () => {
    expect(run('lintian', '--allow-root', '--fail-on', 'none', file)).not.toMatch(/^E:/m)
  })
})

describe.runIf(isPossible(has('rpmbuild'), 'rpmbuild is not installed.'))('the rpm package', () => {
  it('has the same files', () => {
    const file = packRpm(parts('rpm'))
    const files = run('rpm', '--query', '--list', '--package', file)
    expect(files).toContain('/usr/bin/deskforge\n')
    expect(files).toContain('/usr/share/applications/org.deskforge.desktop.desktop\n')
  })
})

describe('the bundled git', () => {
  it('is pinned for every system and processor', () => {
    const systems = ['linux', 'mac', 'win'].flatMap((name) => [`${name}-arm64`, `${name}-x64`])
    expect([...platforms].sort()).toEqual(systems)
  })

  it('is refused with one sentence if its checksum differs, and leaves no files', async () => {
    const folder = here.path('git')
    const problem = await fetchGit('linux-x64', { folder, get: async () => Buffer.from('something else') })
    expect(problem).toMatch(/^The installers for linux-x64 have no git of their own: .*SHA-256.*\.$/)
    expect(existsSync(join(folder, 'linux-x64'))).toBe(false)
  })

  it('has an error of one sentence if there is no network', async () => {
    const get = () => Promise.reject(new Error('no network'))
    const problem = await fetchGit('mac-arm64', { folder: here.path('git'), get })
    expect(problem).toContain('could not be fetched (no network)')
  })
})

describe('packing without a network', () => {
  const pack = (env: Record<string, string>) => {
    const release = here.path('release')
    // No server listens at this address.
    const unreachable = 'http://127.0.0.1:9/'
    const args = [
      join(root, 'scripts/pack.mjs'),
      '--linux',
      '--x64',
      '--arm64',
      `--config.directories.output=${release}`,
    ]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: cleanEnv({
        ELECTRON_CACHE: here.path('no-cache'),
        ELECTRON_MIRROR: unreachable,
        ELECTRON_BUILDER_CACHE: here.path('no-cache'),
        ELECTRON_BUILDER_BINARIES_MIRROR: unreachable,
        DESKFORGE_BUNDLED_GIT: 'none',
        ...env,
      }),
    })
    return { status, output: stdout + stderr, made: existsSync(release) ? readdirSync(release) : [] }
  }

  it('lists its requirements, and creates no packages', () => {
    const { status, output, made } = pack({})
    expect(status).toBe(1)
    expect(output).toMatch(/^Nothing was packed: Electron [\d.]+ cannot be downloaded here\./m)
    expect(output).not.toMatch(/^\s+at /m)
    expect(made).toEqual([])
  })

  const isWhole = isPossible(
    Boolean(process.env['DESKFORGE_TEST_DEEP']) &&
      has('dpkg-deb') &&
      has('rpmbuild') &&
      process.arch === 'x64',
    'packing the whole application takes minutes: `npm run test:deep -- test/process/linux-packages.deep.test.ts` does it on an x64 processor with dpkg-deb and rpmbuild.',
  )

  it.runIf(isWhole)(
    'creates the packages that need no download, and lists the others',
    () => {
      const { status, output, made } = pack({
        ELECTRON_DIST: electronStandIn(here.path('distribution')),
        DESKFORGE_HOMEPAGE: 'https://forge.example/deskforge',
      })
      expect(status).toBe(1)
      expect(output).toContain(
        'AppImage and tar.gz for linux-x64 were not made: the tools of electron-builder',
      )
      expect(output).not.toMatch(/^\s+at /m)
      expect(made).toEqual(
        expect.arrayContaining([
          'SHA256SUMS',
          'components.cdx.json',
          'deskforge-0.1.0.aarch64.rpm',
          'deskforge-0.1.0.x86_64.rpm',
          'deskforge_0.1.0_amd64.deb',
          'deskforge_0.1.0_arm64.deb',
          'latest-linux-arm64.yml',
          'latest-linux.yml',
          'release-notes.md',
        ]),
      )
      const deb = (arch: string) => here.path(`release/deskforge_0.1.0_${arch}.deb`)
      const rpm = (arch: string) => here.path(`release/deskforge-0.1.0.${arch}.rpm`)
      expect(run('dpkg-deb', '--field', deb('arm64'), 'Architecture', 'Homepage')).toBe(
        'Architecture: arm64\nHomepage: https://forge.example/deskforge\n',
      )
      const query = ['--query', '--queryformat', '%{ARCH} %{URL}', '--package']
      expect(run('rpm', ...query, rpm('aarch64'))).toBe('aarch64 https://forge.example/deskforge')
      const binaries = (list: string) =>
        [...list.matchAll(/prebuilds\/(.+\.node)$/gm)].map(([, name]) => name)
      expect(binaries(run('dpkg-deb', '--contents', deb('arm64')))).toEqual(['linux-arm64.node'])
      expect(binaries(run('rpm', '--query', '--list', '--package', rpm('x86_64')))).toEqual([
        'linux-x64.node',
      ])
    },
    900_000,
  )

  it.runIf(isWhole)(
    'installs a deb, starts its server, and removes it without leftovers',
    async () => {
      const system = here.path('deb-system')
      const dpkg = dpkgIn(system)
      dpkg('--install', here.path('release/deskforge_0.1.0_amd64.deb'))
      const unpacked = here.path('deb-unpacked')
      await unpackArchive(join(system, 'usr/lib/deskforge/resources'), unpacked)
      await bootServer(unpacked, here, here.path('deb-data'))
      dpkg('--purge', 'deskforge')
      expect(leftIn(system)).toEqual([])
    },
    120_000,
  )

  it.runIf(isWhole && isPossible(process.getuid?.() === 0, 'rpm installs into a folder for root alone.'))(
    'installs an rpm, starts its server, and removes it without leftovers',
    async () => {
      const system = here.path('rpm-system')
      mkdirSync(system)
      const rpm = (...args: string[]) => run('rpm', `--root=${system}`, ...args)
      rpm('--initdb')
      const before = leftIn(system)
      // The system that runs the test has the dependencies.
      rpm('--install', '--nodeps', here.path('release/deskforge-0.1.0.x86_64.rpm'))
      expect(rpm('--query', 'deskforge')).toBe('deskforge-0.1.0-1.x86_64\n')
      const unpacked = here.path('rpm-unpacked')
      await unpackArchive(join(system, 'usr/lib/deskforge/resources'), unpacked)
      await bootServer(unpacked, here, here.path('rpm-data'))
      rpm('--erase', 'deskforge')
      // The folders above belong to other packages of a system, which the test does not install.
      const shared =
        /^usr(\/(bin|lib|share(\/(applications|metainfo|icons(\/hicolor(\/[^/]+(\/apps)?)?)?))?))?$/
      expect(leftIn(system).filter((path) => !shared.test(path))).toEqual(before)
    },
    120_000,
  )
})

describe('the entries for Linux desktops', () => {
  const folder = join(root, 'build/linux')

  it.runIf(isPossible(has('desktop-file-validate'), 'desktop-file-validate is not installed.'))(
    'have a valid desktop file',
    () => {
      expect(run('desktop-file-validate', join(folder, 'org.deskforge.desktop.desktop'))).toBe('')
    },
  )

  it.runIf(isPossible(has('appstreamcli'), 'appstreamcli is not installed.'))(
    'have valid AppStream data',
    () => {
      const file = join(folder, 'org.deskforge.desktop.metainfo.xml')
      expect(run('appstreamcli', 'validate', '--no-net', file)).toContain('Validation was successful')
    },
  )
})

describe('the lists for updates', () => {
  it('list the installers of each system with their checksums', () => {
    const folder = here.path('installers')
    mkdirSync(folder)
    const names = [
      'a-Setup.exe',
      'a-mac.zip',
      'a-win.zip',
      'a-1.0.0.AppImage',
      'a-1.0.0-arm64.AppImage',
      'a_amd64.deb',
    ]
    for (const name of names) writeFileSync(join(folder, name), name)
    writeUpdateLists(folder)
    const listed = (list: string) => {
      const { files, releaseNotes } = JSON.parse(readFileSync(join(folder, list), 'utf8')) as {
        files: { url: string; sha512: string; size: number }[]
        releaseNotes: string
      }
      expect(releaseNotes).toBe(notesOf('0.1.0'))
      expect(files.every((file) => file.sha512.length === 88 && file.size === file.url.length)).toBe(true)
      return files.map((file) => file.url)
    }
    expect(listed('latest.yml')).toEqual(['a-Setup.exe'])
    expect(listed('latest-mac.yml')).toEqual(['a-mac.zip'])
    expect(listed('latest-linux.yml')).toEqual(['a-1.0.0.AppImage', 'a_amd64.deb'])
    expect(listed('latest-linux-arm64.yml')).toEqual(['a-1.0.0-arm64.AppImage'])
  })
})

describe('the notes of a release', () => {
  const changes =
    '# Changelog\n\n## Unreleased\n\n- Soon\n\n## 0.2.0 (2026-12-01)\n\n- Boards\n- Wikis\n\n## 0.1.0\n\n- First\n'

  it('are its section of the change log, or the unreleased one', () => {
    expect(notesOf('0.2.0', changes)).toBe('- Boards\n- Wikis')
    expect(notesOf('0.1.0', changes)).toBe('- First')
    expect(notesOf('0.3.0', changes)).toBe('- Soon')
    expect(notesOf('0.3.0', '# Changelog\n')).toBe('')
  })
})
