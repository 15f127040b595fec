import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('approval rules and settings are created, changed and deleted', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await instance.api('POST', '/groups', { name: 'harbour', path: 'harbour' })
  await app.enter('/root/tern/-/settings/approvals')
  const list = view.getByRole('list', { name: 'approval rules' })
  const dialog = view.getByRole('dialog')
  await expect(list).toContainText('Anyone')
  await view.keyboard.press('n')
  await dialog.getByLabel('Name').fill('Security')
  await dialog.getByLabel('Approvals').fill('2')
  await dialog.getByLabel('Approvers', { exact: true }).fill('harb')
  await view.getByRole('option', { name: /harbour/ }).click()
  await dialog.getByLabel('Approvers', { exact: true }).fill('root')
  await view.getByRole('option', { name: /@root/ }).click()
  await dialog.getByLabel('Target', { exact: true }).selectOption('Some protected branches')
  await dialog.getByLabel('Protected branches', { exact: true }).fill('main')
  await view.getByRole('option', { name: 'main' }).click()
  await dialog.getByRole('button', { name: 'Add rule' }).click()
  await expect(list).toContainText('Administrator, harbour · into main')
  await expect(list).toContainText('2 approvals')

  await list.getByRole('button', { name: 'Anyone' }).click()
  await dialog.getByLabel('Approvals').fill('1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await view.getByLabel('When commits are added').selectOption('Remove code owner approvals of changed files')
  await view.getByRole('switch', { name: 'Allow approval by the author' }).check()
  await view.keyboard.press('ControlOrMeta+s')
  await expect(app.message(/^Saved/)).toBeVisible()
  expect(await instance.api('GET', `/projects/${id}/approvals`)).toMatchObject({
    approvals_before_merge: 1,
    reset_approvals_on_push: false,
    selective_code_owner_removals: true,
    merge_requests_author_approval: true,
  })

  await list.getByRole('button', { name: 'Remove Security' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(list).not.toContainText('Security')
})
