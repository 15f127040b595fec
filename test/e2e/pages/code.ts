import type { Locator, Page } from '@playwright/test'

/** The code of a project: its tree, a folder, a file. */
export class CodePage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  get tree(): Locator {
    return this.page.getByRole('tree', { name: 'Files' })
  }

  inTree(name: string): Locator {
    return this.tree.getByRole('treeitem', { name, exact: true })
  }

  inFolder(name: string): Locator {
    return this.page.getByRole('list', { name: 'Folder contents' }).getByRole('link', { name, exact: true })
  }

  get finder(): Locator {
    return this.page.getByRole('textbox', { name: 'Search files' })
  }

  get found(): Locator {
    return this.page.getByRole('listbox', { name: 'Files found' }).getByRole('option')
  }

  text(path: string): Locator {
    return this.page.getByRole('region', { name: `Text of ${path}` })
  }

  line(number: number): Locator {
    return this.page.locator(`[id="L${number}"]`)
  }

  number(line: number): Locator {
    return this.page.getByRole('link', { name: `Line ${line}`, exact: true })
  }

  get statusBar(): Locator {
    return this.page.locator('.statusbar')
  }
}
