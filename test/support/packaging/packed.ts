import { join } from 'node:path'

import { expect } from 'vitest'

import type { Scratch } from '../server-process.ts'

// electron-builder's own dependency; it has no types of its own here.
interface Asar {
  listPackage(archive: string, options: { isPack: boolean }): string[]
  extractAll(archive: string, target: string): void
}

/** Takes the archive in the resources of a packed application apart. Returns the paths in it. */
export async function unpackArchive(resources: string, target: string): Promise<string[]> {
  const asar = (await import('@electron/asar' as string)) as Asar
  const archive = join(resources, 'app.asar')
  asar.extractAll(archive, target)
  return asar.listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'))
}

/** Starts the server of an archive that was taken apart under Node, reads its page, and ends it. */
export async function bootServer(unpacked: string, here: Scratch, dataDir: string): Promise<void> {
  const command = [process.execPath, join(unpacked, 'dist/server/cli.js'), 'serve'] as const
  const args = ['--data-dir', dataDir, '--port', '0']
  const instance = here.start({ command, args, cwd: here.folder })
  const url = await instance.url
  expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<title>Deskforge</title>')
  expect(await instance.stop()).toMatchObject({ code: 0 })
}
