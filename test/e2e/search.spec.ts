import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { makeTern } from './support/tern.ts'

test('code is found in all projects, with its project and the matching line @ci', async ({
  view,
  instance,
}) => {
  await makeTern(instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'gull' })
  await instance.api('POST', `/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Count gulls',
    actions: [{ action: 'create', file_path: 'src/gull.ts', content: 'one\ntwo\nconst Gull = 3\n' }],
  })
  const app = new App(view, instance)
  await app.enter('/search')
  await view.getByRole('searchbox', { name: 'Search for' }).fill('gull =')

  const code = view.getByRole('radio', { name: /^Code/ })
  await expect(code).toHaveAccessibleName('Code 1')
  // No other kind has a result, so code is selected.
  await expect(code).toBeChecked()
  const hit = view.getByRole('link', { name: 'root/gull · src/gull.ts' })
  await expect(hit).toBeVisible()
  await expect(view.getByText('const Gull = 3')).toBeVisible()
  await expect(view.locator('mark')).toHaveText('Gull =')
  await hit.click()
  await expect(view).toHaveURL(/\/root\/gull\/-\/blob\/[0-9a-f]{40}\/src\/gull\.ts#L3$/)
})
