import { describe, expect, it } from 'vitest'
import { h } from 'vue'

import ConfirmDialog from '../../../renderer/components/base/ConfirmDialog.vue'
import Dialog from '../../../renderer/components/base/Dialog.vue'
import Menu from '../../../renderer/components/base/Menu.vue'
import IconButton from '../../../renderer/components/base/IconButton.vue'
import Toasts from '../../../renderer/components/feedback/Toasts.vue'
import TooltipLayer from '../../../renderer/components/feedback/TooltipLayer.vue'
import MultiPick from '../../../renderer/components/pick/MultiPick.vue'
import { useToasts } from '../../../renderer/stores/toasts.ts'
import { cleanUp, drawn, heard, mountPart, only, press, type } from './mount-part.ts'

cleanUp()
const trigger = { default: () => h('button', { type: 'button', id: 'trigger' }, 'Open') }

describe('Dialog', () => {
  it('is named by its title and described by its text', async () => {
    mountPart(Dialog, { title: 'Edit label', description: 'Its color too.' }, {}, { open: true })
    await drawn()
    const dialog = only('[role=dialog]')
    expect(document.getElementById(dialog.getAttribute('aria-labelledby')!)?.textContent).toBe('Edit label')
    expect(document.getElementById(dialog.getAttribute('aria-describedby')!)?.textContent).toBe(
      'Its color too.',
    )
  })

  it('closes with Escape', async () => {
    const { values } = mountPart(Dialog, { title: 'Edit label' }, {}, { open: true })
    await drawn()
    press(only('[role=dialog]'), 'Escape')
    await drawn()
    expect(values.value).toEqual({ open: false })
  })
})

describe('ConfirmDialog', () => {
  const words = { title: 'Delete tern?', description: 'It is gone.', action: 'Delete' }
  const button = (name: string) =>
    [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] button')].find(
      (element) => element.textContent?.trim() === name,
    )!

  it('confirms, or closes without confirming', async () => {
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

  it('requires the typed name', async () => {
    const onConfirm = heard()
    mountPart(ConfirmDialog, { ...words, typed: 'root/tern', onConfirm }, {}, { open: true })
    await drawn()
    expect(button('Delete').disabled).toBe(true)
    type(only<HTMLInputElement>('[role=dialog] input'), 'root/ter')
    await drawn()
    expect(button('Delete').disabled).toBe(true)
    type(only<HTMLInputElement>('[role=dialog] input'), 'root/tern')
    await drawn()
    button('Delete').click()
    expect(onConfirm).toHaveBeenCalledOnce()
  })
})

describe('TooltipLayer', () => {
  const mountButton = () => {
    mountPart(TooltipLayer, { delay: 0 })
    mountPart(IconButton, { label: 'Copy link', icon: () => h('svg') })
    return only('button')
  }
  const shown = () => document.querySelector('[role=tooltip]')?.textContent
  const pointer = (type: string, target: Element) =>
    target.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse' }))

  it('describes the focused element until it loses the focus', async () => {
    const button = mountButton()
    button.focus()
    await drawn()
    expect(shown()).toBe('Copy link')
    expect(document.getElementById(button.getAttribute('aria-describedby')!)?.role).toBe('tooltip')
    button.blur()
    await drawn()
    expect(shown()).toBeUndefined()
    expect(button.hasAttribute('aria-describedby')).toBe(false)
  })

  it('opens under the pointer and closes when the element is pressed', async () => {
    const button = mountButton()
    pointer('pointermove', button.firstElementChild!)
    await drawn()
    await drawn()
    expect(shown()).toBe('Copy link')
    pointer('pointerdown', button)
    button.focus()
    await drawn()
    expect(shown()).toBeUndefined()
  })

  it('disappears with its element', async () => {
    const button = mountButton()
    button.focus()
    await drawn()
    button.remove()
    await drawn()
    expect(shown()).toBeUndefined()
  })
})

describe('Menu', () => {
  it('opens with the keyboard and runs the chosen item', async () => {
    const run = heard()
    const entries = [{ label: 'Copy', run }, null, { label: 'Delete', danger: true, disabled: true, run }]
    mountPart(Menu, { entries }, trigger)
    expect(only('#trigger').getAttribute('aria-haspopup')).toBe('menu')
    only('#trigger').focus()
    press(only('#trigger'), 'Enter')
    await drawn()
    const items = [...document.querySelectorAll('[role=menuitem]')]
    expect(items.map((item) => item.textContent?.trim())).toEqual(['Copy', 'Delete'])
    expect(items[1]!.getAttribute('aria-disabled')).toBe('true')
    expect(document.querySelectorAll('[role=menu] hr')).toHaveLength(1)
    press(items[0]!, 'Enter')
    await expect.poll(() => run).toHaveBeenCalledOnce()
  })

  it('has the focus on its first item after a key, and returns it to the button', async () => {
    mountPart(Menu, { entries: [{ label: 'Copy' }] }, trigger)
    only('#trigger').focus()
    press(only('#trigger'), 'ArrowDown')
    await drawn()
    expect(document.activeElement).toBe(only('[role=menuitem]'))
    expect(only('#trigger').getAttribute('aria-controls')).toBe(only('[role=menu]').id)
    press(only('[role=menuitem]'), 'Escape')
    await expect.poll(() => document.activeElement).toBe(only('#trigger'))
    expect(only('#trigger').getAttribute('aria-expanded')).toBe('false')
  })

  it('closes when its button is clicked again', async () => {
    mountPart(Menu, { entries: [{ label: 'Copy' }] }, trigger)
    only('#trigger').click()
    await drawn()
    only('#trigger').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
    only('#trigger').click()
    await drawn()
    expect(document.querySelector('[role=menu]')).toBeNull()
  })
})

describe('MultiPick', () => {
  const items = [
    { value: '1', label: 'Mara', note: '@mara' },
    { value: '2', label: 'Otto', note: '@otto' },
  ]
  const option = (name: string) =>
    [...document.querySelectorAll<HTMLElement>('[role=option]')].find((element) =>
      element.textContent?.includes(name),
    )!

  it('selects an item and closes', async () => {
    const onChange = heard()
    mountPart(MultiPick, { label: 'Assignee', items, chosen: [], onChange }, trigger)
    only('#trigger').click()
    await drawn()
    option('Otto').click()
    await drawn()
    expect(onChange.mock.calls).toEqual([[['2']]])
  })

  it('removes a selected item', async () => {
    const onChange = heard()
    mountPart(MultiPick, { label: 'Assignee', items, chosen: ['2'], onChange }, trigger)
    only('#trigger').click()
    await drawn()
    option('Otto').click()
    await drawn()
    expect(onChange.mock.calls).toEqual([[[]]])
  })

  it('reports that nothing matches', async () => {
    mountPart(MultiPick, { label: 'Assignee', items: [], chosen: [], none: 'No matching people.' }, trigger)
    only('#trigger').click()
    await drawn()
    expect(only('.pick-menu .said').textContent?.trim()).toBe('No matching people.')
  })
})

describe('Toasts', () => {
  it('announce a message, and offer its action once', async () => {
    const run = heard()
    const { element } = mountPart(Toasts)
    useToasts().show({ text: 'Issue closed', action: { label: 'Undo', run } })
    useToasts().show({ text: 'Could not save', kind: 'bad' })
    await drawn()
    expect(element.getAttribute('aria-live')).toBe('polite')
    expect(element.querySelectorAll('.toast')).toHaveLength(2)
    expect(element.querySelector('[aria-label=Failed]')).not.toBeNull()
    ;[...element.querySelectorAll('button')]
      .find((element) => element.textContent?.trim() === 'Undo')!
      .click()
    expect(run).toHaveBeenCalledOnce()
    expect(useToasts().list.map((toast) => toast.text)).toEqual(['Could not save'])
  })
})
