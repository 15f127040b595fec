import type { Locator, Page } from '@playwright/test'

/** The three steps of the first run, and the page after them. */
export class FirstRunPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  field(name: 'Name' | 'Username' | 'Email' | 'Password' | 'Project name'): Locator {
    return this.page.getByRole('textbox', { name, exact: true })
  }

  step(name: string): Locator {
    return this.page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: name })
  }

  choice(name: string): Locator {
    return this.page.getByRole('radio', { name })
  }

  get goOn(): Locator {
    return this.page.getByRole('button', { name: 'Continue' })
  }

  get finish(): Locator {
    return this.page.getByRole('button', { name: 'Open Deskforge' })
  }

  /** A line with a copy button: its text and the button. */
  line(what: 'URL' | 'access token' | 'clone command'): { text: Locator; copy: Locator } {
    const copy = this.page.getByRole('button', { name: `Copy ${what}`, exact: true })
    return { text: this.page.locator('.cmd').filter({ has: copy }).locator('code'), copy }
  }
}
