import { App } from './pages/app.ts'
import { expect, test } from './support/instance.ts'

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

test('texts have footnotes, alerts, formulas and diagrams; tables and notebooks a preview', async ({
  view,
  instance,
}) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  const text = [
    'High water[^1].\n\n[^1]: At the bar.',
    '> [!WARNING]\n> Shoals.',
    'It is $a^2$.',
    fence('mermaid', 'graph LR\n  A[Gauge] --> B[Cross]'),
  ].join('\n\n')
  const notebook = JSON.stringify({
    cells: [
      {
        cell_type: 'code',
        execution_count: 1,
        source: 'f()',
        outputs: [{ output_type: 'stream', text: 'ebb' }],
      },
    ],
  })
  const actions = [
    { action: 'create', file_path: 'README.md', content: text },
    { action: 'create', file_path: 'heights.csv', content: 'harbour,height\n"Salt, marsh",1.8\n' },
    { action: 'create', file_path: 'tides.ipynb', content: notebook },
  ]
  await instance.api('POST', `/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions,
  })
  await app.enter('/root/heron/-/blob/main/README.md')
  await expect(view.locator('.alert-warning')).toContainText('Shoals.')
  await expect(view.locator('math').first()).toBeVisible()
  await expect(view.getByRole('img', { name: /^Diagram/ })).toContainText('Gauge')
  await view.locator('.footnote-ref a').click()
  await expect(view.locator('.footnotes')).toContainText('At the bar.')

  await app.open('/root/heron/-/blob/main/heights.csv')
  await expect(view.getByRole('cell', { name: 'Salt, marsh' })).toBeVisible()
  await app.open('/root/heron/-/blob/main/tides.ipynb')
  await expect(app.main).toContainText('ebb')
})

test('the checkboxes of a task list are changed in the rendered text', async ({ view, instance }) => {
  const app = new App(view, instance)
  const { id } = await instance.api<{ id: number }>('POST', '/projects', { name: 'heron' })
  const description = '- [ ] sound the bar\n  - [x] find the lead\n'
  const { iid } = await instance.api<{ iid: number }>('POST', `/projects/${id}/issues`, {
    title: 'Sound',
    description,
  })
  await app.enter(`/root/heron/-/issues/${iid}`)
  await view.getByRole('checkbox', { name: 'sound the bar' }).check()
  const saved = () => instance.api<{ description: string }>('GET', `/projects/${id}/issues/${iid}`)
  await expect.poll(async () => (await saved()).description).toBe(description.replace('[ ]', '[x]'))
})
