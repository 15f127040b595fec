import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { findBrowser } from './browser.mjs'
import { root } from './node.mjs'

/** Starts the application on the stand-in for Electron, hands its page to `take`, and ends it. */
async function withApplication(folder, env, take) {
  const args = [
    '--import',
    join(root, 'test/shell/electron/register.ts'),
    join(root, 'dist/electron/main.js'),
  ]
  const child = spawn(process.execPath, [...args, '--data-dir', folder, '--port', '7080'], {
    env: { ...process.env, DESKFORGE_CHROMIUM: findBrowser(), ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let lastId = 0
  const ask = (step) => {
    lastId += 1
    const id = lastId
    return new Promise((resolve) => {
      const onMessage = (answer) => {
        if (answer.id !== id) return
        child.off('message', onMessage)
        resolve(answer.value)
      }
      child.on('message', onMessage)
      child.send({ id, step })
    })
  }
  try {
    // The window exists once the instance has its address.
    await once(child.stdout, 'data')
    let port
    while (!port) port = await ask('port')
    await ask('hold')
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
    await ask('release')
    const pages = () => browser.contexts().flatMap((one) => one.pages())
    const isInstance = (page) => page.url().startsWith('http')
    let page
    while (!page) {
      page = pages().find(isInstance)
      await ask('port')
    }
    await take(page)
    await browser.close()
  } finally {
    child.kill('SIGTERM')
    await once(child, 'close')
  }
}

/** Takes the pictures of what only the application shows: the first run and its preferences. */
export async function photographShell(images, owner) {
  const folder = mkdtempSync(join(tmpdir(), 'deskforge-pictures-'))
  const shoot = async (page, name) => {
    await page.waitForLoadState('networkidle')
    await page.screenshot({ path: join(images, name), animations: 'disabled' })
    console.log(join(images, name))
  }
  try {
    // The form of the first run begins with what git knows about the user.
    const home = join(folder, 'home')
    mkdirSync(home)
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada Okafor\n\temail = ada@example.com\n')
    const user = { HOME: home, GIT_CONFIG_GLOBAL: join(home, '.gitconfig'), GIT_CONFIG_NOSYSTEM: '1' }
    await withApplication(join(folder, 'empty'), user, async (page) => {
      await page.getByRole('button', { name: 'Continue' }).waitFor()
      await shoot(page, 'first-run.png')
    })
    await withApplication(join(folder, 'owned'), owner, async (page) => {
      await page.getByRole('navigation').first().waitFor()
      await page.goto(`${new URL(page.url()).origin}/-/profile/application`)
      await page.getByText('Data folder').waitFor()
      await shoot(page, 'preferences.png')
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
