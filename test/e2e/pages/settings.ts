import type { Locator, Page } from '@playwright/test'

/** The settings of the instance. */
export class SettingsPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  field(label: string): Locator {
    return this.page.getByRole('textbox', { name: label })
  }

  /** The row of a setting, by its name in the API. */
  row(key: string): Locator {
    return this.page.locator('.set').filter({ hasText: key })
  }

  get bar(): Locator {
    return this.page.locator('.savebar')
  }
}
