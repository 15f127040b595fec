import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('the window is German after it is chosen in the profile, and English again', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const root = view.locator('html')
  await app.enter('/-/profile')
  await expect(root).toHaveAttribute('lang', 'en')
  await view.getByLabel('Language').selectOption('Deutsch')

  await expect(root).toHaveAttribute('lang', 'de')
  await expect(app.heading('Profil')).toBeVisible()
  await expect(view.getByLabel('Benutzername')).toBeVisible()
  await view.goto(`${instance.url}/groups`)
  await expect(app.heading('Gruppen')).toBeVisible()
  await view.goto(`${instance.url}/-/profile`)
  await expect(view.getByLabel('Sprache')).toHaveValue('de')

  await view.getByLabel('Sprache').selectOption('English')
  await expect(root).toHaveAttribute('lang', 'en')
  await expect(app.heading('Profile')).toBeVisible()
})

test.describe('a German browser', () => {
  test.use({ locale: 'de-DE' })

  test('gets the window in German by default', async ({ view, instance }) => {
    const app = new App(view, instance)
    await app.open('/')
    await expect(app.heading('Anmelden')).toBeVisible()
  })
})
