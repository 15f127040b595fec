import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { expect, isReal, owner, test } from '../desktop.ts'
import { clickNotice, notices, opened, openPreferences } from '../press.ts'

/** Serves releases from this computer. */
async function serveReleases(answer: RequestListener) {
  const feed = createServer(answer)
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${String((feed.address() as AddressInfo).port)}`,
    close: () => feed.close(),
  }
}

const NEXT = 'version: 99.0.0\npath: deskforge.AppImage\nsha512: x\nreleaseNotes: New boards\n'

test('the application checks for updates only if and when the user chose it', async ({ desktop }) => {
  const requested: string[] = []
  let release = ''
  const feed = await serveReleases((request, response) => {
    requested.push(request.url ?? '')
    response.writeHead(release === '' ? 500 : 200).end(release)
  })
  const page = await openPreferences(desktop)
  await expect(page.getByRole('button', { name: 'Check now' })).toBeDisabled()
  await page.getByLabel('Release URL').fill('http://evil.example/releases')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('must start with https://')).toBeVisible()
  await page.getByLabel('Release URL').fill(feed.address)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Not checked yet.')).toBeVisible()
  expect(requested).toEqual([])
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByText('The check failed:')).toBeVisible()
  release = NEXT
  await page.getByRole('button', { name: 'Check now' }).click()
  await expect(page.getByText('Version 99.0.0 is available.')).toBeVisible()
  await page.getByText('Release notes').click()
  await expect(page.getByText('New boards')).toBeVisible()
  expect(requested[0]).toMatch(/^\/latest.*\.yml/)
  await page.reload()
  await expect(page.getByText('Version 99.0.0 is available.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Download' })).toBeVisible()
  feed.close()
})

test('the application downloads an update, replaces the program and starts it', async ({ start, folder }) => {
  test.skip(isReal || process.platform !== 'linux', 'the journey plays an AppImage')
  const program = folder.path('deskforge.AppImage')
  const mark = folder.path('started')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const next = `#!/bin/sh\necho new > '${mark}'\n`
  const sha512 = createHash('sha512').update(next).digest('base64')
  const files = [{ url: 'deskforge-99.AppImage', sha512, size: next.length }]
  const list = JSON.stringify({ version: '99.0.0', files, releaseDate: '2026-01-01' })
  const feed = await serveReleases(({ url = '' }, response) => {
    response.end(url.includes('.yml') ? list : next)
  })
  const env = { ...owner, APPIMAGE: program, XDG_CACHE_HOME: folder.path('cache') }
  const desktop = await start({ env })
  const page = await openPreferences(desktop)
  await page.getByLabel('Release URL').fill(feed.address)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByRole('button', { name: 'Download' }).click()
  await page.getByRole('button', { name: 'Restart and install' }).click()
  expect(await desktop.ended).toBe(0)
  await expect.poll(() => existsSync(mark)).toBe(true)
  feed.close()
})

test('a daily check announces a version once, and the preferences show it', async ({ start, folder }) => {
  test.skip(isReal, 'Electron does not let a program read its notifications')
  const requested: string[] = []
  const feed = await serveReleases(({ url = '' }, response) => {
    requested.push(url)
    response.end(NEXT)
  })
  const dataDir = folder.path('data')
  mkdirSync(join(dataDir, 'window'), { recursive: true })
  const preferences = { updates: true, updateFeed: feed.address }
  writeFileSync(join(dataDir, 'window/preferences.json'), JSON.stringify(preferences))
  const desktop = await start({ env: owner })
  const page = await opened(desktop)
  await expect.poll(() => notices(desktop)).toEqual(['Deskforge 99.0.0 is available'])
  await clickNotice(desktop)
  await expect(page).toHaveURL(/\/-\/profile\/application$/)
  await expect(page.getByText('Version 99.0.0 is available.')).toBeVisible()
  // The same version is not announced again.
  const before = requested.length
  await page.getByRole('switch', { name: 'Check for updates daily' }).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('switch', { name: 'Check for updates daily' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => requested.length).toBeGreaterThan(before)
  await expect(page.getByText('Version 99.0.0 is available.')).toBeVisible()
  expect(await notices(desktop)).toHaveLength(1)
  feed.close()
})
