import { App } from './pages/app.ts'
import { SignInPage } from './pages/sign-in.ts'
import { expect, owner, test } from './support/instance.ts'

test('signing in returns to the requested page, and signing out ends the session @core', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const page = new SignInPage(view)
  await app.open('/-/profile')
  await expect(app.heading('Sign in')).toBeVisible()
  await expect(page.login).toBeFocused()
  await expect(page.button).toBeDisabled()

  await page.fill(owner.username, 'not the pass phrase')
  await view.keyboard.press('Enter')
  await expect(view.getByText('Invalid login or password.')).toBeVisible()
  await expect(page.login).toHaveValue(owner.username)

  await page.fill(owner.username, owner.password)
  await page.button.click()
  await expect(app.heading('Profile')).toBeVisible()
  await expect(view.getByLabel('Username')).toHaveValue(owner.username)

  await app.signOut()
  await expect(app.heading('Sign in')).toBeVisible()
  const session = await view.request.get(`${instance.url}/-/session`)
  expect(await session.json()).toMatchObject({ user: null })
  await view.goBack()
  await expect(app.heading('Sign in')).toBeVisible()
})
