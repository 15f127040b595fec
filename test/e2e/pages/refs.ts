import type { Locator, Page } from '@playwright/test'

/** The lists of branches and of tags. */
export class RefsPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  row(name: string): Locator {
    return this.page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: this.page.getByRole('link', { name, exact: true }) })
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog')
  }

  tab(name: 'Branches' | 'Tags'): Locator {
    return this.page.getByRole('main').getByRole('link', { name, exact: true })
  }
}
