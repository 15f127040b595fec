import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('settings of a project are saved, discarded, and not lost by leaving the page', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await app.enter('/root/tern/edit')
  await expect(view).toHaveURL(`${instance.url}/root/tern/-/settings/general`)
  await view.getByLabel('Topics').fill('rust, tides, harbours')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(app.message('Saved')).toBeVisible()
  expect(await instance.api('GET', `/projects/${id}`)).toMatchObject({
    topics: ['harbours', 'rust', 'tides'],
  })

  const parts = view.getByRole('navigation', { name: 'Project settings' })
  await parts.getByRole('link', { name: 'Features' }).click()
  await view.getByLabel('Snippets').selectOption('Nobody')
  await view.getByLabel('Visibility').selectOption('Internal')
  await parts.getByRole('link', { name: 'Merge requests' }).click()
  await expect(view.locator('.savebar')).toContainText(
    '2 unsaved changes. Save or discard them before you leave.',
  )
  await view.locator('.savebar').getByRole('button', { name: 'Save' }).click()
  await expect(view.locator('.savebar')).toBeHidden()
  await expect(
    view.getByRole('navigation', { name: 'tern' }).getByRole('link', { name: 'Snippets' }),
  ).toHaveCount(0)
  await parts.getByRole('link', { name: 'Merge requests' }).click()
  await view.getByLabel('Merge method').selectOption('Fast-forward only')
  await view.locator('.savebar').getByRole('button', { name: 'Discard' }).click()
  await expect(view.getByLabel('Merge method')).toHaveValue('merge')
  expect(await instance.api('GET', `/projects/${id}`)).toMatchObject({
    snippets_access_level: 'disabled',
    visibility: 'internal',
    merge_method: 'merge',
  })
})

test('a file called edit opens as a file', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  const file = { branch: 'main', commit_message: 'Add it', content: 'how to edit a gauge' }
  await instance.api('POST', `/projects/${id}/repository/files/edit`, file)
  await app.enter('/root/tern/-/blob/main/edit')
  await expect(app.main).toContainText('how to edit a gauge')
})

test('branches are protected for chosen users and roles', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await makeTern(instance)
  await app.enter('/root/tern/-/settings/repository')
  const branches = view.getByRole('region', { name: 'Protected branches' })
  await view.getByRole('button', { name: 'Protect branch' }).click()
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Branch', { exact: true }).fill('release/*')
  await dialog.getByRole('list', { name: 'Allowed to push, selected' }).getByRole('button').click()
  await dialog.getByLabel('Allowed to push', { exact: true }).fill('Admin')
  await view.getByRole('option', { name: /@root/ }).click()
  await dialog.getByRole('button', { name: 'Protect', exact: true }).click()
  await expect(branches).toContainText('Push: Administrator · Merge: Maintainers')

  await branches.getByRole('button', { name: 'release/*', exact: true }).click()
  await dialog.getByLabel('Allowed to push', { exact: true }).fill('Dev')
  await view.getByRole('option', { name: /^Developers/ }).click()
  await dialog.getByLabel('Force pushes').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const saved = await instance.api<{ push_access_levels: unknown[] }>(
    'GET',
    `/projects/${id}/protected_branches/release%2F*`,
  )
  expect(saved).toMatchObject({ allow_force_push: true })
  expect(saved.push_access_levels).toHaveLength(2)
  await branches.getByRole('button', { name: 'Unprotect release/*' }).click()
  await dialog.getByRole('button', { name: 'Unprotect' }).click()
  await expect(branches).not.toContainText('release/*')

  await view.getByRole('button', { name: 'Protect tags' }).click()
  await dialog.getByLabel('Tag').fill('v*')
  await dialog.getByRole('button', { name: 'Protect', exact: true }).click()
  await expect(view.getByRole('region', { name: 'Protected tags' })).toContainText('v*')
})

test('tokens and keys of a project are created and revoked', async ({ view, instance }) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern/-/settings/access_tokens')
  await expect(view.getByRole('heading', { name: 'No access tokens' })).toBeVisible()
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Name').fill('nightly release')
  await dialog.getByLabel('Role', { exact: true }).selectOption('Developer')
  await dialog.getByRole('checkbox', { name: /read_api/ }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(app.main).toContainText('“nightly release” is ready')
  await view.getByRole('button', { name: 'Hide secret' }).click()
  await view.getByRole('button', { name: 'Revoke…' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(view.getByRole('heading', { name: 'No access tokens' })).toBeVisible()

  await app.open('/root/tern/-/settings/deploy_tokens')
  await expect(view.getByRole('heading', { name: 'No deploy tokens' })).toBeVisible()
  await view.keyboard.press('n')
  await dialog.getByLabel('Name', { exact: true }).fill('staging')
  await dialog.getByRole('checkbox', { name: /read_repository/ }).check()
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(app.main).toContainText('“staging” is ready')
})

test('a project gets another path, is archived and unarchived, and is deleted after its name is typed', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  await makeTern(instance)
  await app.enter('/root/tern/-/settings/advanced')
  await view.getByLabel('Path').fill('arctic-tern')
  await view.getByRole('button', { name: 'Change path' }).click()
  await expect(view).toHaveURL(`${instance.url}/root/arctic-tern/-/settings/advanced`)
  await view.getByRole('button', { name: 'Archive', exact: true }).click()
  await expect(view.getByRole('heading', { name: 'This project is archived' })).toBeVisible()
  await view.getByRole('button', { name: 'Unarchive' }).click()
  await expect(view.getByRole('heading', { name: 'Archive', exact: true })).toBeVisible()
  await view.getByRole('button', { name: 'Delete project…' }).click()
  const act = view.getByRole('dialog').getByRole('button', { name: 'Delete project' })
  await expect(act).toBeDisabled()
  await view.getByLabel('Type root/arctic-tern to confirm').fill('root/arctic-tern')
  await act.click()
  await expect(view).toHaveURL(`${instance.url}/projects`)
})
