import { App } from './pages/app.ts'
import { replaceText } from './pages/editor.ts'
import { expect, test } from './support/instance.ts'

test('a world is checked, mended and applied, and its project opens', async ({ view, instance }) => {
  test.slow()
  const app = new App(view, instance)
  await app.enter('/-/workbench/worlds')
  const editor = view.getByRole('textbox', { name: /^Text of the world/ })
  await expect(view.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await replaceText(editor, 'users:\n  - usernam: anna\n')
  await view.getByRole('button', { name: 'Check' }).click()
  await expect(view.getByRole('list', { name: 'Problems' })).toContainText(
    '2:5 The key "usernam" is not known here; did you mean "username"',
  )
  await expect(view.locator('.cm-lintRange-error').first()).toBeVisible()

  await view.getByLabel('Examples').selectOption('A small team')
  await expect(editor).toContainText('title: A small team')
  await expect(view.getByRole('list', { name: 'Problems' })).toHaveCount(0)
  await view.getByRole('button', { name: 'Check' }).click()
  await expect(view.getByText('The world is valid')).toBeVisible()
  await view.getByRole('button', { name: 'Apply' }).click()
  await expect(view.getByText('World applied')).toBeVisible()
  await expect(view.getByRole('list', { name: 'Contents' })).toContainText(
    'merge requests 3 created, 0 already there',
  )

  await app.open('/lantern/shop')
  await expect(app.heading(/shop/i)).toBeVisible()
})
