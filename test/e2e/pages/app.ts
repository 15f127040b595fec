import type { Locator, Page } from '@playwright/test'

import { expect, owner, test, type Instance } from '../support/instance.ts'

/** The frame of the window: signing in, the navigation, the palette and the messages. */
export class App {
  readonly page: Page
  readonly instance: Instance

  constructor(page: Page, instance: Instance) {
    this.page = page
    this.instance = instance
  }

  async open(path: string): Promise<void> {
    await this.page.goto(this.instance.url + path)
  }

  /** Signs in and opens a view. The window of the application signs its owner in by itself. */
  async enter(path = '/', who: { username: string; password: string } = owner): Promise<void> {
    if (test.info().project.name !== 'electron') {
      // Signs in like a page of the instance, which stores the token of the session in its own storage.
      const { url } = this.instance
      const data = { login: who.username, password: who.password }
      const answer = await this.page.request.post(`${url}/-/session`, { data, headers: { origin: url } })
      expect(answer.status()).toBe(201)
      const { csrf_token: token } = (await answer.json()) as { csrf_token: string }
      await this.open('/-/health')
      await this.page.evaluate((value) => localStorage.setItem('deskforge.page', value), token)
    }
    await this.open(path)
  }

  get main(): Locator {
    return this.page.getByRole('main')
  }

  /** The title of the view. A README may have a heading with the same text below it. */
  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { name, level: 1 }).first()
  }

  /** A link of the sidebar. */
  entry(name: string): Locator {
    return this.page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name, exact: true })
  }

  crumbs(): Locator {
    return this.page.getByRole('navigation', { name: 'Breadcrumb' })
  }

  /** The message at the edge of the window. */
  message(text: string | RegExp): Locator {
    return this.page.locator('.toast').filter({ hasText: text })
  }

  get palette(): Locator {
    return this.page.getByRole('dialog', { name: 'Search or jump to' })
  }

  /** Opens the palette with its keys and types. A reload shows the frame only after the session is loaded, and the keys work from then on. */
  async jump(text: string): Promise<void> {
    await expect(this.main).toBeVisible()
    await this.page.keyboard.press('ControlOrMeta+k')
    await expect(this.palette).toBeVisible()
    await this.page.keyboard.type(text)
  }

  async signOut(): Promise<void> {
    await this.page.getByRole('button', { name: /^You: / }).click()
    await this.page.getByRole('menuitem', { name: /^Sign out/ }).click()
  }

  /** The bytes behind a link, as the window opens it. */
  async fetched(link: Locator): Promise<Buffer> {
    const coming = this.page.waitForEvent('download')
    await link.click()
    const stream = await (await coming).createReadStream()
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  /** The path and query of the address, without the origin. */
  address(): string {
    return this.page.url().slice(this.instance.url.length)
  }
}
