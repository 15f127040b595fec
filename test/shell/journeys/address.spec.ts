import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'

import { expect, isReal, owner, test } from '../desktop.ts'
import { boxes, opened } from '../press.ts'

/** Another program with a port of this computer. */
async function takePort(): Promise<{ port: number; server: Server }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, server }
}

test('uses the next port if another program has the default one, says so and keeps it', async ({
  start,
  folder,
}) => {
  const { port, server } = await takePort()
  const desktop = await start({ env: owner, port })
  const page = await desktop.page()
  const { origin, port: next } = new URL(page.url())
  expect(Number(next)).not.toBe(port)
  await expect(page.getByRole('navigation').first()).toBeVisible()
  server.close()
  const preferences = readFileSync(join(folder.path('data'), 'window/preferences.json'), 'utf8')
  expect((JSON.parse(preferences) as { port: number }).port).toBe(Number(next))
  test.skip(isReal, 'Electron does not let a program read its message boxes')
  const said = () =>
    desktop.evaluate(({ dialog }) =>
      (dialog as unknown as { asked: { message: string; detail: string }[] }).asked.map(
        ({ message, detail }) => `${message}: ${detail}`,
      ),
    )
  await expect
    .poll(said)
    .toEqual([expect.stringMatching(`^Deskforge has another address: .* port ${port}\\. .*${origin}`)])
})

test('the new address can be copied, and the next start keeps it without a word', async ({
  start,
  folder,
}) => {
  test.skip(isReal, 'Electron does not let a program read its message boxes')
  const { port, server } = await takePort()
  const dataDir = folder.path('data')
  mkdirSync(join(dataDir, 'window'), { recursive: true })
  writeFileSync(join(dataDir, 'window/preferences.json'), JSON.stringify({ port }))
  // The second button of the box copies.
  const first = await start({ dataDir, port: null, env: { ...owner, STAND_IN_ANSWER: '1' } })
  const { origin } = new URL((await opened(first)).url())
  expect(origin).not.toBe(`http://127.0.0.1:${String(port)}`)
  await expect.poll(() => first.evaluate(({ clipboard }) => clipboard.readText())).toBe(origin)
  await first.stop()
  server.close()
  const second = await start({ dataDir, port: null, env: owner })
  expect(new URL((await opened(second)).url()).origin).toBe(origin)
  expect(await boxes(second)).toEqual([])
})
