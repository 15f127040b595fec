import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'

import { expect, isReal, owner, test } from '../desktop.ts'
import { boxesOfStart, copied, opened } from '../press.ts'

/** Another program that uses a port of this computer. */
async function takePort(): Promise<{ port: number; server: Server }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, server }
}

test('the application uses the next port if another program has the preferred one, reports it, and keeps it', async ({
  start,
  folder,
}) => {
  const { port, server } = await takePort()
  // The second button of the box copies.
  const first = await start({ env: { ...owner, STAND_IN_ANSWER: '1' }, port })
  const { origin, port: next } = new URL((await opened(first)).url())
  expect(Number(next)).not.toBe(port)
  const preferences = readFileSync(join(folder.path('data'), 'window/preferences.json'), 'utf8')
  expect((JSON.parse(preferences) as { port: number }).port).toBe(Number(next))
  if (!isReal) {
    // Electron does not let a program read its message boxes.
    await expect.poll(() => copied(first)).toBe(origin)
    expect(await boxesOfStart(first)).toEqual([
      {
        message: 'Deskforge has another address',
        detail: expect.stringMatching(`port ${port}\\. .*${origin}`),
      },
    ])
  }
  await first.stop()
  server.close()
  const second = await start({ port: null, env: owner })
  expect(new URL((await opened(second)).url()).origin).toBe(origin)
  if (!isReal) expect(await boxesOfStart(second)).toEqual([])
})

test('the port of the preferences is used like one of an argument', async ({ start, folder }) => {
  test.skip(isReal, 'Electron does not let a program read its message boxes')
  const { port, server } = await takePort()
  const dataDir = folder.path('data')
  mkdirSync(join(dataDir, 'window'), { recursive: true })
  writeFileSync(join(dataDir, 'window/preferences.json'), JSON.stringify({ port }))
  const desktop = await start({ port: null, env: owner, args: ['--hidden'] })
  await expect.poll(async () => (await boxesOfStart(desktop))[0]?.detail).toContain(`port ${port}. `)
  server.close()
})
