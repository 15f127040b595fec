import { App } from './pages/app.ts'
import { CodePage } from './pages/code.ts'
import { expect, test } from './support/instance.ts'
import { pushTern } from './support/tern.ts'

test('a new project shows how to push, and pushed code appears without a reload @electron @core', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const code = new CodePage(view)
  await app.enter('/')
  await expect(app.entry('Projects')).toBeVisible()
  await view.keyboard.press('g')
  await view.keyboard.press('p')
  await expect(app.heading('Projects')).toBeVisible()
  await view.keyboard.press('n')
  await expect(app.heading('New project')).toBeVisible()
  await view.keyboard.type('tern')
  await expect(view.getByLabel('Path')).toHaveValue('tern')
  await view.getByLabel('Initialize with a README').uncheck()
  await view.getByRole('button', { name: 'Create project' }).click()

  await expect(app.heading('tern')).toBeVisible()
  await expect(view.getByRole('heading', { name: 'This repository is empty' })).toBeVisible()
  await expect(app.main).toContainText(`git remote add origin ${instance.url}/root/tern.git`)
  await view.evaluate(() => document.body.setAttribute('data-never-loaded-again', ''))

  const { tree } = await pushTern(instance, 'root/tern')
  const readme = view.getByRole('region', { name: 'README' })
  await expect(readme).toContainText('Tide tables for small harbours.')
  const about = view.getByRole('complementary', { name: 'About' })
  await expect(about).toContainText('3 branches')
  await expect(about).toContainText('1 tag')
  await expect(about.getByRole('link', { name: /^4 commits/ })).toBeVisible()
  await expect(readme.getByRole('img', { name: 'A gauge in the harbour wall' })).toHaveJSProperty(
    'naturalWidth',
    120,
  )

  await tree.commit('Say where the bar is', { 'README.md': '# tern\n\nThe bar lies a mile off.\n' })
  await tree.push('main')
  await expect(readme).toContainText('The bar lies a mile off.')
  await expect(app.main).toContainText('Say where the bar is')

  await view.getByRole('link', { name: 'Code', exact: true }).click()
  await expect(code.inFolder('Cargo.toml')).toBeVisible()
  await tree.commit('Add a licence', { LICENSE: 'Do what you like, but warn us of the rocks.\n' })
  await tree.push('main')
  await expect(code.inFolder('LICENSE')).toBeVisible()
  await expect(view.locator('body')).toHaveAttribute('data-never-loaded-again')
})
