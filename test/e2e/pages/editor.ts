import type { Locator, Page } from '@playwright/test'

/** A file in the editor, and the commit form below it. */
export class EditorPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  get path(): Locator {
    return this.page.getByRole('textbox', { name: 'File path' })
  }

  get text(): Locator {
    return this.page.locator('.cm-content')
  }

  get message(): Locator {
    return this.page.getByRole('textbox', { name: 'Commit message' })
  }

  get newBranch(): Locator {
    return this.page.getByRole('textbox', { name: 'New branch name' })
  }

  get commit(): Locator {
    return this.page.getByRole('form', { name: 'Commit' }).getByRole('button', { name: 'Commit' })
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog')
  }

  /** Moves the caret to the end and types. */
  async append(text: string): Promise<void> {
    await this.text.click()
    await this.page.keyboard.press('ControlOrMeta+End')
    await this.page.keyboard.type(text)
  }
}

/**
 * Replaces the text of a code editor as a user does. `fill` selects the text in the page only, and the editor restores its
 * own selection when syntax highlighting arrives between selecting and typing.
 */
export async function replaceText(editor: Locator, text: string): Promise<void> {
  await editor.press('ControlOrMeta+a')
  await editor.page().keyboard.insertText(text)
}
