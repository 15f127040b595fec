import { App } from './pages/app.ts'
import { CodePage } from './pages/code.ts'
import { RefsPage } from './pages/refs.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('blame leads to the commit, and back to the version before it', async ({ view, instance }) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  const { rewrite } = await makeTern(instance)
  await app.enter('/root/tern/-/blob/main/src/tide.rs#L3')
  await expect(code.text('src/tide.rs')).toBeVisible()
  await view.keyboard.press('b')
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/blame/main/src/tide.rs#L3`)
  const blame = view.getByRole('region', { name: 'Blame of src/tide.rs' })
  const title = blame.getByRole('link', { name: 'Sum the constituents without a loop' })
  await expect(title.first()).toBeVisible()
  await expect(blame.getByRole('link', { name: 'Add heights from constituents' }).first()).toBeVisible()
  await expect(code.line(3)).toHaveClass(/hit/)

  await title.first().click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/commit/${rewrite}`)
  await view.goBack()
  await title.first().hover()
  await blame.getByRole('link', { name: 'Blame before this change' }).first().click()
  await expect(view).toHaveURL(/\/-\/blame\/[0-9a-f]{40}\/src\/tide\.rs$/)
  await expect(blame).toContainText('let mut sum')
  await expect(title).toHaveCount(0)
})

test('two branches are compared, swapped, and compared as they are', async ({ view, instance }) => {
  const app = new App(view, instance)
  const refs = new RefsPage(view)
  await makeTern(instance)
  await app.enter('/root/tern/-/branches')
  await refs.row('fix/slack-water').hover()
  await refs.row('fix/slack-water').getByRole('link', { name: 'Compare with main' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/compare/main...fix/slack-water`)
  const changes = view.getByRole('region', { name: 'Changes' })
  await expect(changes).toContainText('src/windows.rs')
  await expect(changes.locator('.dl.add')).toContainText('> draught')
  await view.getByRole('radio', { name: /^Commits/ }).click()
  await expect(app.main.locator('.row-link')).toHaveText(['Count slack water as open'])
  await view.getByRole('radio', { name: /^Changes/ }).click()

  await view.keyboard.press('s')
  await expect(view.getByRole('heading', { name: 'Nothing to compare' })).toBeVisible()
  await view.getByRole('radio', { name: 'Direct comparison' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/compare/fix/slack-water..main`)
  await expect(changes.locator('.dl.add')).toContainText('>= draught')

  await view.getByRole('button', { name: 'To: main' }).click()
  await view.getByRole('option', { name: 'fix/slack-water' }).click()
  await expect(view.getByRole('heading', { name: 'Same revision' })).toBeVisible()
})

test('unrelated branches have nothing in common', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { tree } = await makeTern(instance)
  await tree.git('checkout', '--quiet', '--orphan', 'pages')
  await tree.git('rm', '-rfq', '.')
  await tree.commit('Begin the pages', { 'index.html': '<h1>tern</h1>\n' })
  await tree.push('pages')
  await app.enter('/root/tern/-/compare/main...pages')
  await expect(view.getByRole('heading', { name: 'No common history' })).toBeVisible()
  await view.getByRole('button', { name: 'Compare directly' }).click()
  const files = view.getByRole('tree', { name: 'Changed files' })
  await expect(files.getByRole('treeitem', { name: /^index.html/ })).toBeVisible()
})

test('a commit is reverted on a new branch, and a second revert is refused', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id, rewrite } = await makeTern(instance)
  const dialog = view.getByRole('dialog')
  const begin = async (what: string) => {
    await view.getByRole('button', { name: 'More actions' }).click()
    await view.getByRole('menuitem', { name: what }).click()
  }
  await app.enter(`/root/tern/-/commit/${rewrite}`)
  await begin('Revert…')
  await expect(dialog).toContainText('This commit can be reverted on main.')
  await dialog.getByRole('radio', { name: 'To a new branch' }).check()
  await dialog.getByLabel('New branch name').fill('back')
  await dialog.getByRole('button', { name: 'Revert', exact: true }).click()
  await expect(app.heading('Revert "Sum the constituents without a loop"')).toBeVisible()
  await expect(app.main).toContainText(`This reverts commit ${rewrite}`)
  await expect(view.getByLabel('Branches and tags with this commit')).toContainText('back')

  await app.open(`/root/tern/-/commit/${rewrite}`)
  await begin('Revert…')
  await dialog.getByRole('button', { name: 'Branch: main' }).click()
  await view.getByRole('option', { name: 'back', exact: true }).click()
  await expect(dialog).toContainText(/Conflicts with back|back already contains this change/)
  await expect(dialog.getByRole('button', { name: 'Revert', exact: true })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  const [fix] = await instance.api<{ id: string }[]>(
    'GET',
    `/projects/${id}/repository/commits?ref_name=fix/slack-water&per_page=1`,
  )
  await app.open(`/root/tern/-/commit/${fix?.id}`)
  await begin('Cherry-pick…')
  await expect(dialog).toContainText('This commit applies cleanly to main.')
  await dialog.getByRole('button', { name: 'Cherry-pick', exact: true }).click()
  await expect(app.message('Cherry-picked onto main')).toBeVisible()
  await expect(app.main).toContainText(`(cherry picked from commit ${fix?.id})`)
})

test('a commit gets comments, as a whole and at a line', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id, rewrite } = await makeTern(instance)
  await instance.api('POST', `/projects/${id}/statuses/${rewrite}`, { state: 'failed', name: 'lint' })
  await app.enter(`/root/tern/-/commit/${rewrite}`)
  await view.getByRole('button', { name: 'Checks: 1 check failed' }).click()
  await expect(view.getByRole('dialog', { name: /^Checks/ })).toContainText('lint')
  await view.keyboard.press('Escape')

  const changes = view.getByRole('region', { name: 'Changes' })
  await changes.locator('.dl.add > i').first().click()
  await expect(view.getByRole('textbox', { name: 'Comment on this line' })).toBeFocused()
  await view.keyboard.type('Is this *faster*?')
  await view.keyboard.press('Control+Enter')
  const thread = changes.getByRole('region', { name: 'Comments on this line' })
  await expect(thread.locator('em')).toHaveText('faster')
  await view.getByRole('radio', { name: 'Inline' }).click()
  await expect(thread).toContainText('faster')

  for (const key of ['n', 'n', 'c']) await view.keyboard.press(key)
  await view.keyboard.type('By keyboard.')
  await view.keyboard.press('Control+Enter')
  await expect(changes.getByRole('region', { name: 'Comments on this line' })).toHaveCount(2)

  await view.getByRole('radio', { name: /^Comments/ }).click()
  await expect(view.getByRole('region', { name: 'Comments' })).toContainText('src/tide.rs')
  await view.getByRole('textbox', { name: 'Comment on this commit' }).fill('Thank you.')
  await view.keyboard.press('Control+Enter')
  await expect(view.getByRole('region', { name: 'Comments' })).toContainText('Thank you.')
  await expect(view.getByRole('textbox', { name: 'Comment on this commit' })).toHaveValue('')
})

test('a narrow comparison shows the names of its branches in full', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  const branch = 'feature/read-the-gauges-twice-a-day'
  await instance.api('POST', `/projects/${id}/repository/branches`, { branch, ref: 'fix/slack-water' })
  await view.setViewportSize({ width: 800, height: 700 })
  await app.enter(`/root/tern/-/compare/main...${encodeURIComponent(branch)}`)
  const name = view.getByRole('button', { name: `To: ${branch}` }).getByText(branch)
  await expect(name).toBeVisible()
  expect(await name.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
})
