import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { windowsProgram } from './windows-program.ts'

const files = [
  'LICENSE',
  'LICENSES.chromium.html',
  'chrome_100_percent.pak',
  'chrome_200_percent.pak',
  'resources.pak',
  'icudtl.dat',
  'snapshot_blob.bin',
  'v8_context_snapshot.bin',
  'libEGL.so',
  'libGLESv2.so',
  'libffmpeg.so',
  'locales/en-US.pak',
]
const programs = ['electron', 'chrome-sandbox', 'chrome_crashpad_handler']

/** The marker of Electron's fuses inside its program: version 1, nine fuses, all off. */
export const FUSES = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

// A package of electron-builder's own.
interface ResEdit {
  NtExecutable: { from(bytes: Buffer): { generate(): ArrayBuffer } }
  NtExecutableResource: {
    from(program: unknown): { entries: unknown[]; outputResource(program: unknown): void }
  }
  Resource: {
    VersionInfo: {
      createEmpty(): {
        setStringValues(language: { lang: number; codepage: number }, values: Record<string, string>): void
        outputToResourceEntries(entries: unknown[]): void
      }
    }
  }
}

function electronVersion(): string {
  return (createRequire(import.meta.url)('electron/package.json') as { version: string }).version
}

/**
 * Creates a folder like an unpacked Electron distribution for Linux, with programs that do nothing. electron-builder can
 * put the application into it if no real one can be downloaded. It has no `resources/default_app.asar`, which
 * electron-builder would only read and remove.
 */
export function electronStandIn(folder: string): string {
  for (const inner of ['resources', 'locales']) mkdirSync(join(folder, inner), { recursive: true })
  for (const file of files) writeFileSync(join(folder, file), '')
  for (const program of programs) {
    const fuses = program === 'electron' ? `#${FUSES}\x01\x09${'0'.repeat(9)}\n` : ''
    writeFileSync(join(folder, program), `#!/bin/sh\nexit 0\n${fuses}`)
    chmodSync(join(folder, program), 0o755)
  }
  writeFileSync(join(folder, 'version'), electronVersion())
  return folder
}

/** Creates a folder like an unpacked Electron distribution for Windows. */
export function electronStandInForWindows(folder: string): string {
  for (const inner of ['resources', 'locales']) mkdirSync(join(folder, inner), { recursive: true })
  for (const file of files) writeFileSync(join(folder, file.replace(/^lib(.+)\.so$/, '$1.dll')), '')
  const content = Buffer.from(`${FUSES}\x01\x09${'0'.repeat(9)}`, 'latin1')
  // electron-builder edits the version of the program, so it must have one.
  const { NtExecutable, NtExecutableResource, Resource } = createRequire(import.meta.url)(
    'resedit',
  ) as ResEdit
  const program = NtExecutable.from(windowsProgram({ machine: 'x64', content }))
  const resources = NtExecutableResource.from(program)
  const version = Resource.VersionInfo.createEmpty()
  version.setStringValues({ lang: 1033, codepage: 1200 }, { ProductName: 'Electron' })
  version.outputToResourceEntries(resources.entries)
  resources.outputResource(program)
  writeFileSync(join(folder, 'electron.exe'), Buffer.from(program.generate()))
  writeFileSync(join(folder, 'version'), electronVersion())
  return folder
}

const propertyList = (values: Readonly<Record<string, string>>) => `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>${Object.entries(values)
  .map(([key, value]) => `<key>${key}</key><string>${value}</string>`)
  .join('')}</dict></plist>
`

/** Creates a folder like an unpacked Electron distribution for macOS. */
export function electronStandInForMac(folder: string): string {
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { mode: 0o755 })
  }
  const program = (at: string, name: string) => {
    put(`${at}/Contents/Info.plist`, propertyList({ CFBundleExecutable: name, CFBundleName: name }))
    put(`${at}/Contents/MacOS/${name}`, '#!/bin/sh\nexit 0\n')
  }
  const inside = 'Electron.app/Contents'
  program('Electron.app', 'Electron')
  put(`${inside}/Resources/electron.icns`, '')
  for (const kind of ['', ' (GPU)', ' (Plugin)', ' (Renderer)'])
    program(`${inside}/Frameworks/Electron Helper${kind}.app`, `Electron Helper${kind}`)
  // The switches are in the framework, which the program loads.
  const framework = `${inside}/Frameworks/Electron Framework.framework`
  put(`${framework}/Versions/A/Electron Framework`, `${FUSES}\x01\x09${'0'.repeat(9)}`)
  put(`${framework}/Versions/A/Resources/en.lproj/locale.pak`, '')
  symlinkSync('A', join(folder, framework, 'Versions/Current'))
  for (const name of ['Electron Framework', 'Resources'])
    symlinkSync(`Versions/Current/${name}`, join(folder, framework, name))
  for (const name of ['LICENSE', 'LICENSES.chromium.html']) put(name, '')
  put('version', electronVersion())
  return folder
}
