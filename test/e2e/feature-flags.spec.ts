import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test.describe('in dark', () => {
  test.use({ colorScheme: 'dark' })

  test('the track of the rollout slider is dark', async ({ view, instance }) => {
    const app = new App(view, instance)
    const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
    await instance.api('POST', `/projects/${id}/feature_flags`, {
      name: 'early',
      version: 'new_version_flag',
      strategies: [
        {
          name: 'flexibleRollout',
          parameters: { groupId: 'default', rollout: '35', stickiness: 'default' },
          scopes: [{ environment_scope: '*' }],
        },
      ],
    })
    await app.enter('/root/heron/-/feature_flags/early/edit')
    const slider = view.getByRole('slider')
    await expect(slider).toBeVisible()
    const picture = (await slider.screenshot()).toString('base64')
    // The brightest pixel in the part of the track that is not filled.
    const brightest = await view.evaluate(async (encoded) => {
      const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')!
      context.drawImage(image, 0, 0)
      const half = Math.ceil(image.width / 2)
      return Math.max(
        ...context.getImageData(half, 0, image.width - half, image.height).data.filter((_, at) => at % 4 < 3),
      )
    }, picture)
    expect(brightest).toBeLessThan(160)
  })
})

test('a feature flag is created, rolled out, evaluated for a user, toggled and deleted', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const project = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  await instance.api('POST', `/projects/${project.id}/environments`, { name: 'production' })
  await app.enter('/root/heron/-/feature_flags')
  await expect(view.getByRole('heading', { name: 'No feature flags yet' })).toBeVisible()

  // Creates a user list first.
  await view.getByRole('link', { name: 'User lists' }).click()
  await expect(view.getByRole('heading', { name: 'No user lists yet' })).toBeVisible()
  await view.keyboard.press('n')
  const dialog = view.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Testers')
  await dialog.getByLabel('User IDs').fill('mara\nben, mara')
  await expect(dialog.getByText('2 users')).toBeVisible()
  await dialog.getByRole('button', { name: 'Create list' }).click()
  await expect(view.getByRole('list', { name: 'user lists' })).toContainText('mara, ben')

  // Creates a flag that is on for testers in all environments, and for no other user in production.
  await view
    .getByRole('navigation', { name: 'Feature flags' })
    .getByRole('link', { name: 'Feature flags' })
    .click()
  await view.keyboard.press('n')
  await expect(app.heading('New feature flag')).toBeVisible()
  await view.getByLabel('Name', { exact: true }).fill('New')
  const first = view.getByRole('region', { name: 'Strategy 1' })
  await first.getByLabel('Users', { exact: true }).selectOption('Percent of users')
  await first.getByLabel('Percentage', { exact: true }).fill('0')
  await first.getByRole('combobox', { name: 'Environments' }).fill('prod')
  await view.getByRole('option', { name: 'production' }).click()
  await expect(first.getByRole('list', { name: 'Environments' })).toHaveText('production')
  await view.getByRole('button', { name: 'Add strategy' }).click()
  const second = view.getByRole('region', { name: 'Strategy 2' })
  await second.getByLabel('Users', { exact: true }).selectOption('User list')
  await expect(view.getByText('Select a user list.')).toBeVisible()
  await second.getByLabel('List', { exact: true }).selectOption('Testers (2 users)')
  await view.keyboard.press('ControlOrMeta+s')
  await expect(view.getByText(/^Can contain only lowercase letters/)).toBeVisible()
  await view.getByLabel('Name', { exact: true }).fill('new-checkout')
  await view.keyboard.press('ControlOrMeta+s')
  const flags = view.getByRole('list', { name: 'feature flags' })
  await expect(flags).toContainText('0% of users · production')
  await expect(flags).toContainText('list Testers · all environments')

  // Evaluates the flag for different users.
  await view.getByRole('link', { name: 'Evaluate as' }).click()
  const answers = view.getByRole('list', { name: 'flag values' })
  await expect(answers).toContainText('Off')
  await view.getByLabel('User ID').fill('mara')
  await expect(answers).toContainText('On, matched by strategy 2, list Testers.')
  await view.getByLabel('User ID').fill('ines')
  await expect(answers).toContainText(/strategy 1, 0% of users: bucket \d+ of 100/)

  // Shows the configuration of SDKs.
  await view
    .getByRole('navigation', { name: 'Feature flags' })
    .getByRole('link', { name: 'Feature flags' })
    .click()
  await view.getByRole('button', { name: 'Configure' }).click()
  const example = dialog.getByRole('group', { name: 'Example' })
  await expect(example).toContainText(`/api/v4/feature_flags/unleash/${project.id}`)
  await expect(example).toContainText(/instanceId: '[\w-]{20}'/)
  await dialog.getByRole('button', { name: 'Done' }).click()

  // The flag is turned off, turned on again by undo, and turned off by another user.
  const flip = view.getByRole('switch', { name: 'new-checkout is on' })
  await flip.click()
  await expect(flip).not.toBeChecked()
  await view.getByRole('button', { name: 'Undo' }).click()
  await expect(flip).toBeChecked()
  await expect(view.getByText('new-checkout is on.')).toBeVisible()
  await instance.api('PUT', `/projects/${project.id}/feature_flags/new-checkout`, { active: false })
  await expect(flip).not.toBeChecked()

  // Deletes a strategy, and then the flag.
  await view.getByRole('link', { name: 'new-checkout' }).click()
  await expect(app.heading('Edit new-checkout')).toBeVisible()
  await view.getByRole('button', { name: 'Remove strategy 1' }).click()
  await view.keyboard.press('ControlOrMeta+s')
  await expect(flags).not.toContainText('0% of users')
  await flags.getByRole('listitem').hover()
  await flags.getByRole('button', { name: 'Delete…' }).click()
  await view.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(view.getByRole('heading', { name: 'No feature flags yet' })).toBeVisible()
})
