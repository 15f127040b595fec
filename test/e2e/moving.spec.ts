import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

test('a project is created from a template', async ({ view, instance }) => {
  const app = new App(view, instance)
  await app.enter('/projects/new')
  await view.getByRole('navigation', { name: 'Import from' }).getByRole('link', { name: 'Template' }).click()
  await expect(view).toHaveURL(/\/projects\/new\/template$/)
  await expect(view.getByLabel('Name', { exact: true })).toBeFocused()
  await view.keyboard.type('Harbour tool')
  await expect(view.getByLabel('Path', { exact: true })).toHaveValue('harbour-tool')
  await view.getByRole('radio', { name: /Go module/ }).check()
  await view.getByLabel('File', { exact: true }).selectOption('go.mod')
  await expect(view.getByText('module example.com/greeting')).toBeVisible()
  await view.getByRole('button', { name: 'Create project' }).click()
  await expect(app.heading('Harbour tool')).toBeVisible()
  await expect(app.main.getByText('Begin with the template “Go module”')).toBeVisible()
  await app.enter('/dashboard/imports')
  await expect(app.main.getByText('Go module · template')).toBeVisible()
})

test('a project is exported and imported under another name', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', {
    name: 'tern',
    initialize_with_readme: true,
  })
  await instance.api('POST', `/projects/${id}/issues`, { title: 'The tide turns too early' })
  await app.enter('/root/tern/-/settings/export')
  await view.getByRole('button', { name: 'Export project' }).click()
  const link = view.getByRole('link', { name: 'Download' })
  await expect(link).toBeVisible()
  const file = join(instance.dataDir, '2026-01-02_03-04-005_root_tern_export.tar.gz')
  writeFileSync(file, await app.fetched(link))

  await app.enter('/projects/new/archive')
  await view.getByLabel('Archive', { exact: true }).setInputFiles(file)
  await expect(view.getByLabel('Name', { exact: true })).toHaveValue('tern')
  // The name is taken, and the error is shown at its field.
  await view.getByRole('button', { name: 'Import project' }).click()
  await expect(view.getByText('Has already been taken.')).toBeVisible()
  await view.getByLabel('Name', { exact: true }).fill('arctic tern')
  await expect(view.getByLabel('Path', { exact: true })).toHaveValue('arctic-tern')
  await view.getByRole('button', { name: 'Import project' }).click()
  await expect(view).toHaveURL(/\/root\/arctic-tern$/)
  await expect(app.main.getByText('Initial commit')).toBeVisible()
  await app.enter('/root/arctic-tern/-/issues')
  await expect(app.main.getByText('The tide turns too early')).toBeVisible()
})

test('a failed import has a reason', async ({ view, instance }) => {
  const app = new App(view, instance)
  const file = join(instance.dataDir, 'broken_export.tar.gz')
  writeFileSync(file, gzipSync(randomBytes(2000)))
  await app.enter('/projects/new/archive')
  await view.getByLabel('Archive', { exact: true }).setInputFiles(file)
  await view.getByRole('button', { name: 'Import project' }).click()
  await expect(view.getByRole('heading', { name: 'The import failed' })).toBeVisible()
  await expect(view.getByText('The archive is damaged.')).toBeVisible()
  await app.enter('/dashboard/imports')
  await expect(app.main.getByText('Failed')).toBeVisible()
  await view.getByRole('link', { name: 'root/broken' }).click()
  await view.getByRole('link', { name: 'Delete project…' }).click()
  await expect(view).toHaveURL(/settings\/advanced$/)
})
