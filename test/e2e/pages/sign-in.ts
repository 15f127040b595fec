import type { Locator, Page } from '@playwright/test'

export class SignInPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  get login(): Locator {
    return this.page.getByLabel('Username or email')
  }

  get password(): Locator {
    return this.page.getByLabel('Password', { exact: true })
  }

  get button(): Locator {
    return this.page.getByRole('button', { name: 'Sign in' })
  }

  async fill(login: string, password: string): Promise<void> {
    await this.login.fill(login)
    await this.password.fill(password)
  }
}
