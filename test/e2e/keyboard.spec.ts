import type { Page } from '@playwright/test'

import { App } from './pages/app.ts'
import { MergeRequestPage } from './pages/merge-request.ts'
import { expect, test } from './support/instance.ts'
import { joins, windowOf } from './support/people.ts'
import { makeTern } from './support/tern.ts'

// No step uses the pointer, `fill` or `check`, because Playwright does these without keys.

/** The problem with the focus: it is missing, outside of the window or not visible. Empty without a problem. */
function focusFault(): string {
  const at = document.activeElement
  if (!at || at === document.body) return 'nothing has the focus'
  const name = `<${at.tagName.toLowerCase()} class="${at.className}"> ${at.textContent?.trim().slice(0, 40)}`
  const box = at.getBoundingClientRect()
  const isSeen =
    box.bottom > 0 && box.right > 0 && box.top < window.innerHeight && box.left < window.innerWidth
  if (!isSeen || !at.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    return `${name} is out of sight`
  const isMarked = (element: Element | null) =>
    element !== null &&
    [null, '::after', '::before'].some((part) => {
      const style = getComputedStyle(element, part)
      return (
        (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none'
      )
    })
  // The focus ring of a field is around its input, and that of a row around the row.
  return [at, at.parentElement, at.closest('[role="dialog"], label, .row')].some(isMarked)
    ? ''
    : `${name} is not marked`
}
const focusIsShown = (view: Page) => expect.poll(() => view.evaluate(focusFault)).toBe('')

/** Presses Tab through the view from its start. Returns the controls without a focus ring and those that were not reached. */
async function walk(view: Page) {
  await view.evaluate(() => {
    for (const element of document.querySelectorAll('[data-walked]')) element.removeAttribute('data-walked')
    // The next Tab goes to the first control of the page, wherever the focus was.
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })
  const faults: string[] = []
  for (let steps = 0; steps < 300; steps++) {
    await view.keyboard.press('Tab')
    const isEnd = await view.evaluate(() => {
      const at = document.activeElement
      if (!at || at === document.body || at.hasAttribute('data-walked')) return true
      at.setAttribute('data-walked', '')
      return false
    })
    if (isEnd) break
    const fault = await view.evaluate(focusFault)
    if (fault) faults.push(fault)
  }
  const missed = await view.evaluate(() => {
    const controls = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary'
    /** The arrow keys move the focus within these. */
    const groups = '[role="radiogroup"], [role="tree"], [role="toolbar"], [role="listbox"], [role="menu"]'
    return [...document.querySelectorAll(controls)]
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) && !element.hasAttribute('data-walked'),
      )
      .filter((element) => !element.closest(groups)?.querySelector('[data-walked]'))
      .filter((element) => !(element instanceof HTMLInputElement && element.type === 'radio'))
      .map((element) => element.outerHTML.slice(0, 160))
  })
  return { faults, missed }
}

test('a change is reviewed and merged with the keyboard alone', async ({
  view,
  instance,
  browser,
  contextOptions,
}) => {
  const { id } = await makeTern(instance)
  const ines = await joins(instance, id, 'Ines', 40)
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'fix/slack-water',
    target_branch: 'main',
    title: 'Count slack water as open',
    reviewer_ids: [ines.id],
  })
  await view.close()
  const app = await windowOf(ines, instance, '/', { browser, contextOptions })
  const { page } = app
  const mine = new MergeRequestPage(page)
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve())

  // Starts on the home page, where the review request is listed.
  await expect(app.main.getByText('Count slack water as open').first()).toBeVisible()
  await press('j')
  await focusIsShown(page)
  await press('Enter')
  await expect(page).toHaveURL(new RegExp(`/merge_requests/${iid}$`))
  await expect(app.heading(/Count slack water as open/)).toBeVisible()

  // Opens the merge request from anywhere with the palette.
  await press('g', 'p')
  await expect(app.heading('Projects')).toBeVisible()
  await app.jump('slack water')
  await expect(app.palette.getByRole('option', { name: /Count slack water as open/ }).first()).toBeVisible()
  await focusIsShown(page)
  await press('Enter')
  await expect(app.heading(/Count slack water as open/)).toBeVisible()

  // Goes to a changed line, and comments on it.
  await press('4')
  await expect(page).toHaveURL(/\/diffs$/)
  await expect(mine.changes.locator('.dl.add')).toContainText('> draught')
  await press('.', '.', 'c')
  await expect(mine.form.getByRole('textbox', { name: 'Comment on these lines' })).toBeFocused()
  await focusIsShown(page)
  await page.keyboard.type('At the very edge a boat still touches.')
  await press('ControlOrMeta+Enter')
  const thread = mine.thread('At the very edge')
  await expect(thread).toContainText('Open')
  await expect(thread).toBeFocused()
  await focusIsShown(page)

  // Selects an unchanged line, and several lines at once.
  const picked = mine.changes.locator('.dl.picked')
  await press(',', 'ArrowUp', 'Shift+ArrowDown', 'Shift+ArrowDown', 'c')
  await expect(mine.form.getByRole('textbox', { name: 'Comment on these lines' })).toBeFocused()
  // The unchanged line is on both sides, and the removed line is not one of the new lines.
  await expect(picked).toHaveText([/let hours/, /let hours/, /> draught/])
  await expect(picked.first()).toHaveClass(/context/)
  await expect(picked.last()).toHaveClass(/add/)
  await press('Escape')
  await expect(mine.form).toHaveCount(0)
  await press('Escape', 'n')
  await expect(thread).toBeFocused()

  // Replies, and resolves the thread.
  await press('Enter')
  await expect(thread.getByRole('textbox', { name: 'Reply' })).toBeFocused()
  await page.keyboard.type('The harbour says it does not.')
  await press('ControlOrMeta+Enter')
  await expect(thread).toContainText('The harbour says it does not.')
  await expect(thread).toBeFocused()
  await press('r')
  await expect(mine.thread('Resolved by')).toBeFocused()
  await focusIsShown(page)
  await press('n', 'r')
  await expect(mine.thread('At the very edge')).toContainText('Open')
  await press('r')
  await expect(mine.thread('Resolved by')).toHaveCount(1)

  // Approves and merges.
  await press('1')
  await expect(page).toHaveURL(new RegExp(`/merge_requests/${iid}$`))
  await expect(mine.box).toContainText('Ready to merge')
  await press('a')
  await expect(mine.details).toContainText('Ines approved')
  await press('m')
  await expect(mine.end).toContainText('Merged by')
  await page.context().close()
})

test('every control of a merge request is reached with Tab, and has a focus ring', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const mine = new MergeRequestPage(view)
  const { id } = await makeTern(instance)
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/merge_requests`, {
    source_branch: 'fix/slack-water',
    target_branch: 'main',
    title: 'Count slack water as open',
    description: '- [ ] ask the harbour',
  })
  const versions = `/projects/${id}/merge_requests/${iid}/versions`
  await expect.poll(async () => (await instance.api<unknown[]>('GET', versions)).length).toBe(1)
  const [version] = await instance.api<
    { base_commit_sha: string; head_commit_sha: string; start_commit_sha: string }[]
  >('GET', versions)
  await instance.api('POST', `/projects/${id}/merge_requests/${iid}/discussions`, {
    body: 'Who wrote this?',
    position: {
      position_type: 'text',
      base_sha: version!.base_commit_sha,
      head_sha: version!.head_commit_sha,
      start_sha: version!.start_commit_sha,
      new_path: 'src/windows.rs',
      old_path: 'src/windows.rs',
      new_line: 1,
      old_line: 1,
    },
  })
  await app.enter(`/root/tern/-/merge_requests/${iid}`)
  await expect(mine.box).toContainText('One unresolved thread')
  expect(await walk(view)).toEqual({ faults: [], missed: [] })
  for (const tab of ['Commits', 'Pipelines', 'Changes'] as const) {
    await mine.tab(tab).focus()
    await view.keyboard.press('Enter')
    await expect(mine.tab(tab)).toHaveAttribute('aria-current', 'page')
    if (tab === 'Changes') await expect(mine.thread('Who wrote this?')).toBeVisible()
    expect(await walk(view)).toEqual({ faults: [], missed: [] })
  }
})
