import { describe, expect, it, vi } from 'vitest'
import { h } from 'vue'

import ConfirmDialog from '../../../renderer/components/base/ConfirmDialog.vue'
import Dialog from '../../../renderer/components/base/Dialog.vue'
import Menu from '../../../renderer/components/base/Menu.vue'
import Toasts from '../../../renderer/components/feedback/Toasts.vue'
import MultiPick from '../../../renderer/components/pick/MultiPick.vue'
import { useToasts } from '../../../renderer/stores/toasts.ts'
import { cleanUp, drawn, heard, mountPart, one, press, type } from './mount-part.ts'

cleanUp()
const trigger = { default: () => h('button', { type: 'button', id: 'trigger' }, 'Open') }

describe('Dialog', () => {
  it('is named by its title and described by its text', async () => {
    mountPart(Dialog, { title: 'Edit label', description: 'Its color too.' }, {}, { open: true })
    await drawn()
    const dialog = one('[role=dialog]')
    expect(document.getElementById(dialog.getAttribute('aria-labelledby')!)?.textContent).toBe('Edit label')
    expect(document.getElementById(dialog.getAttribute('aria-describedby')!)?.textContent).toBe(
      'Its color too.',
    )
  })

  it('closes with Escape', async () => {
    const { values } = mountPart(Dialog, { title: 'Edit label' }, {}, { open: true })
    await drawn()
    press(one('[role=dialog]'), 'Escape')
    await drawn()
    expect(values.value).toEqual({ open: false })
  })
})

describe('ConfirmDialog', () => {
  const words = { title: 'Delete tern?', description: 'It is gone.', action: 'Delete' }
  const button = (name: string) =>
    [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] button')].find(
      (one) => one.textContent?.trim() === name,
    )!

  it('confirms, or closes without', async () => {
    const onConfirm = heard()
    const { values } = mountPart(ConfirmDialog, { ...words, onConfirm }, {}, { open: true })
    await drawn()
    button('Delete').click()
    expect(onConfirm).toHaveBeenCalledOnce()
    button('Cancel').click()
    await drawn()
    expect(values.value).toEqual({ open: false })
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('waits for the typed name', async () => {
    const onConfirm = heard()
    mountPart(ConfirmDialog, { ...words, typed: 'root/tern', onConfirm }, {}, { open: true })
    await drawn()
    expect(button('Delete').disabled).toBe(true)
    type(one<HTMLInputElement>('[role=dialog] input'), 'root/ter')
    await drawn()
    expect(button('Delete').disabled).toBe(true)
    type(one<HTMLInputElement>('[role=dialog] input'), 'root/tern')
    await drawn()
    button('Delete').click()
    expect(onConfirm).toHaveBeenCalledOnce()
  })
})

describe('Menu', () => {
  it('opens with the keyboard and runs what is chosen', async () => {
    const run = heard()
    const entries = [{ label: 'Copy', run }, null, { label: 'Delete', danger: true, disabled: true, run }]
    mountPart(Menu, { entries }, trigger)
    expect(one('#trigger').getAttribute('aria-haspopup')).toBe('menu')
    one('#trigger').focus()
    press(one('#trigger'), 'Enter')
    await drawn()
    const items = [...document.querySelectorAll('[role=menuitem]')]
    expect(items.map((item) => item.textContent?.trim())).toEqual(['Copy', 'Delete'])
    expect(items[1]!.getAttribute('aria-disabled')).toBe('true')
    expect(document.querySelectorAll('[role=menu] hr')).toHaveLength(1)
    press(items[0]!, 'Enter')
    await vi.waitFor(() => expect(run).toHaveBeenCalledOnce())
  })
})

describe('MultiPick', () => {
  const items = [
    { value: '1', label: 'Mara', note: '@mara' },
    { value: '2', label: 'Otto', note: '@otto' },
  ]
  const option = (name: string) =>
    [...document.querySelectorAll<HTMLElement>('[role=option]')].find((one) =>
      one.textContent?.includes(name),
    )!

  it('selects one and closes', async () => {
    const onChange = heard()
    mountPart(MultiPick, { label: 'Assignee', items, chosen: [], onChange }, trigger)
    one('#trigger').click()
    await drawn()
    option('Otto').click()
    await drawn()
    expect(onChange.mock.calls).toEqual([[['2']]])
  })

  it('takes a selected one away again', async () => {
    const onChange = heard()
    mountPart(MultiPick, { label: 'Assignee', items, chosen: ['2'], onChange }, trigger)
    one('#trigger').click()
    await drawn()
    option('Otto').click()
    await drawn()
    expect(onChange.mock.calls).toEqual([[[]]])
  })

  it('says that nothing matches', async () => {
    mountPart(MultiPick, { label: 'Assignee', items: [], chosen: [], none: 'No matching people.' }, trigger)
    one('#trigger').click()
    await drawn()
    expect(one('.pick-menu .said').textContent?.trim()).toBe('No matching people.')
  })
})

describe('Toasts', () => {
  it('announce what happened, and offer its action once', async () => {
    const run = heard()
    const { element } = mountPart(Toasts)
    useToasts().show({ text: 'Issue closed', action: { label: 'Undo', run } })
    useToasts().show({ text: 'Could not save', kind: 'bad' })
    await drawn()
    expect(element.getAttribute('aria-live')).toBe('polite')
    expect(element.querySelectorAll('.toast')).toHaveLength(2)
    expect(element.querySelector('[aria-label=Failed]')).not.toBeNull()
    ;[...element.querySelectorAll('button')].find((one) => one.textContent?.trim() === 'Undo')!.click()
    expect(run).toHaveBeenCalledOnce()
    expect(useToasts().list.map((toast) => toast.text)).toEqual(['Could not save'])
  })
})
