import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { windowsProgram } from './windows-program.ts'

// electron-builder downloads its tools. These folders offer it the system's own in the same shape, so that its templates
// run here as they do in a release.

const require = createRequire(import.meta.url)
const builderLib = dirname(require.resolve('app-builder-lib/package.json'))
const templates = join(builderLib, 'templates/nsis')

/** The path of an installed program; undefined if there is none. */
export function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

function script(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

/** The functions that the installer's template calls, by plugin. */
function pluginCalls(): Map<string, Set<string>> {
  const calls = new Map<string, Set<string>>()
  for (const name of readdirSync(templates, { recursive: true, encoding: 'utf8' })) {
    if (!/\.ns[hi]$/.test(name)) continue
    for (const [, plugin, call] of readFileSync(join(templates, name), 'utf8').matchAll(/\b(\w+)::(\w+)/g))
      calls.set(plugin as string, (calls.get(plugin as string) ?? new Set()).add(call as string))
  }
  return calls
}

/**
 * The environment that lets electron-builder create a Windows installer with the system's makensis and 7za. Debian has
 * no plugins beyond NSIS's own, so libraries with the same functions, all empty, stand in for them: the installer has
 * every file and page of a release, but only its plugins make it run. electron-builder runs the first of two installers
 * under Wine, which writes the uninstaller; a script takes it out of the file instead, as electron-builder itself does
 * on macOS.
 */
export function nsisTools(folder: string): Record<string, string> {
  const nsis = join(folder, 'nsis')
  const plugins = join(folder, 'resources/plugins/x86-unicode')
  mkdirSync(join(nsis, 'linux'), { recursive: true })
  mkdirSync(plugins, { recursive: true })
  symlinkSync(findProgram('makensis') as string, join(nsis, 'linux/makensis'))
  for (const part of ['Contrib', 'Include', 'Plugins', 'Stubs'])
    symlinkSync(join('/usr/share/nsis', part), join(nsis, part))
  writeFileSync(join(nsis, 'elevate.exe'), windowsProgram({ machine: 'x86' }))
  const own = new Set(readdirSync('/usr/share/nsis/Plugins/x86-unicode').map((name) => name.toLowerCase()))
  for (const [plugin, calls] of pluginCalls())
    if (!own.has(`${plugin}.dll`.toLowerCase()))
      writeFileSync(join(plugins, `${plugin}.dll`), windowsProgram({ machine: 'x86', exports: [...calls] }))
  const reader = JSON.stringify(join(builderLib, 'out/targets/nsis/nsisUtil.js'))
  script(
    join(folder, 'uninstaller.cjs'),
    `const { UninstallerReader } = require(${reader})
const { readFileSync, writeFileSync } = require('node:fs')
const installer = process.argv[2]
const bytes = readFileSync(installer)
// Debian's makensis writes sections that this reader does not know by name; it only counts their sizes.
const first = bytes.readUInt32LE(0x3c) + 24 + bytes.readUInt16LE(bytes.readUInt32LE(0x3c) + 20)
for (let at = first; bytes[at] === 0x2e; at += 40)
  if (!/^\\.(text|data|rsrc)/.test(bytes.toString('latin1', at, at + 8))) bytes.write('.rdata\\0', at, 'latin1')
writeFileSync(__filename + '.read', bytes)
UninstallerReader.exec(__filename + '.read', installer.replace(/exe$/, '') + '__uninstaller.exe')
`,
  )
  script(
    join(folder, 'bin/wine'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'uninstaller.cjs')}' "$@"\n`,
  )
  return {
    ELECTRON_BUILDER_NSIS_DIR: nsis,
    ELECTRON_BUILDER_NSIS_RESOURCES_DIR: join(folder, 'resources'),
    ELECTRON_BUILDER_7ZIP_PATH: findProgram('7za') as string,
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
  }
}

/**
 * The environment that lets electron-builder create an AppImage with the system's mksquashfs. The start of such a file
 * is a program that mounts the rest; a script that unpacks the rest replaces it.
 */
export function appImageTools(folder: string): Record<string, string> {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
  const tools = join(folder, `linux-${arch}`)
  mkdirSync(join(folder, 'lib/x64'), { recursive: true })
  mkdirSync(tools, { recursive: true })
  for (const name of ['mksquashfs', 'desktop-file-validate'])
    symlinkSync(findProgram(name) as string, join(tools, name))
  const runtime = '#!/bin/sh\nexec unsquashfs -q -n -o 4096 -d "$1" "$0"\n'
  writeFileSync(join(folder, `runtime-${arch}`), runtime.padEnd(4095) + '\n')
  return { APPIMAGE_TOOLS_PATH: folder }
}
