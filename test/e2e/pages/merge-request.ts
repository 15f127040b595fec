import type { Locator, Page } from '@playwright/test'

/** A merge request: its header, its tabs, its merge box, its threads. */
export class MergeRequestPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  tab(name: 'Conversation' | 'Commits' | 'Pipelines' | 'Changes'): Locator {
    return this.page
      .getByRole('navigation', { name: 'Merge request' })
      .getByRole('link', { name: new RegExp(`^${name}`) })
  }

  /** The merge box, with the obstacles and the merge button. */
  get box(): Locator {
    return this.page.locator('.merge-box')
  }

  /** The merge box after the merge. */
  get end(): Locator {
    return this.page.getByRole('region', { name: 'Result' })
  }

  get details(): Locator {
    return this.page.getByRole('complementary', { name: 'Details' })
  }

  get changes(): Locator {
    return this.page.getByRole('region', { name: 'Changes' })
  }

  get files(): Locator {
    return this.page.getByRole('tree', { name: 'Changed files' })
  }

  thread(text: string | RegExp): Locator {
    return this.page.getByRole('region', { name: 'Thread', exact: true }).filter({ hasText: text })
  }

  get draft(): Locator {
    return this.page.getByRole('region', { name: 'Draft', exact: true })
  }

  /** The comment form below the selected lines. */
  get form(): Locator {
    return this.page.getByRole('region', { name: 'New comment' })
  }

  get submit(): Locator {
    return this.page.getByRole('dialog', { name: 'Submit review' })
  }
}
