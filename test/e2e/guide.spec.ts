import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'
import { root } from '../support/server-process.ts'

const folder = join(root, 'docs/guide')

test('the guide is read in the window, page by page', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/help')
  await view.getByRole('link', { name: 'Your first project' }).click()
  await expect(app.heading('Your first project')).toBeVisible()
  const picture = view.getByRole('img', { name: 'The overview of a project' })
  await expect(picture).toBeVisible()
  expect(
    await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(0)
  await view.getByRole('link', { name: 'review a change' }).click()
  await expect(app.heading('Merge requests and review')).toBeVisible()
  await view.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'Troubleshooting' }).click()
  await expect(view.getByRole('cell', { name: 'The data folder is not there' })).toBeVisible()
  await app.open('/help/guide/nothing')
  await expect(view.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})

test('a narrow window has the pages of the guide in a choice', async ({ view, instance }) => {
  const app = new App(view, instance)
  await view.setViewportSize({ width: 700, height: 800 })
  await app.enter('/help/guide/git')
  await expect(app.heading('Git over HTTP and SSH')).toBeVisible()
  await expect(view.getByRole('navigation', { name: 'Guide' })).toBeHidden()
  const choice = view.getByRole('combobox', { name: 'Guide' })
  await expect(choice).toHaveValue('git')
  await choice.selectOption('Users and administration')
  await expect(app.heading('Users and administration')).toBeVisible()
})

test('each page is in the list, and its links and pictures exist', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/help/guide')
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')
  const links = view.getByRole('navigation', { name: 'Guide' }).getByRole('link')
  await expect(links).toHaveCount(names.length)
  const listed = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(listed.sort()).toEqual(names.map((name) => `/help/guide/${name.replace('.md', '')}`).sort())
  const files = new Set([
    ...readdirSync(folder),
    ...readdirSync(join(folder, 'images')).map((name) => `images/${name}`),
  ])
  for (const name of [...names, 'README.md']) {
    const targets = [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/\]\((?!https?:|\.\.\/)([^)#]+)\)/g),
    ]
    for (const [, target] of targets) expect(files, name).toContain(target)
  }
})
