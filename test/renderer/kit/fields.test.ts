import { describe, expect, it, vi } from 'vitest'

import Checkbox from '../../../renderer/components/form/Checkbox.vue'
import Chips from '../../../renderer/components/form/Chips.vue'
import FieldError from '../../../renderer/components/form/FieldError.vue'
import FormPage from '../../../renderer/components/form/FormPage.vue'
import PasswordField from '../../../renderer/components/form/PasswordField.vue'
import Picker from '../../../renderer/components/form/Picker.vue'
import Radio from '../../../renderer/components/form/Radio.vue'
import SearchField from '../../../renderer/components/form/SearchField.vue'
import Select from '../../../renderer/components/form/Select.vue'
import SettingLines from '../../../renderer/components/form/SettingLines.vue'
import SettingsPage from '../../../renderer/components/form/SettingsPage.vue'
import Switch from '../../../renderer/components/form/Switch.vue'
import TextField from '../../../renderer/components/form/TextField.vue'
import VisibilityChoice from '../../../renderer/components/form/VisibilityChoice.vue'
import { cleanUp, drawn, heard, mountPart, only, press, type } from './mount-part.ts'

cleanUp()
const input = () => only<HTMLInputElement>('input')

describe('TextField', () => {
  it('connects label, help and input', async () => {
    const { values } = mountPart(TextField, { label: 'Name', help: 'In lists.' }, {}, { modelValue: 'tern' })
    expect(only<HTMLLabelElement>('label').htmlFor).toBe(input().id)
    expect(document.getElementById(input().getAttribute('aria-describedby')!)?.textContent).toBe('In lists.')
    expect(input().value).toBe('tern')
    type(input(), 'heron')
    await drawn()
    expect(values.value).toEqual({ modelValue: 'heron' })
  })

  it('shows an error instead of the help, and marks the input', () => {
    mountPart(
      TextField,
      { label: 'Name', help: 'In lists.', errors: ['is too long', 'is taken'] },
      {},
      { modelValue: '' },
    )
    expect(input().getAttribute('aria-invalid')).toBe('true')
    expect(input().getAttribute('aria-describedby')).toContain(only('[role=alert]').id)
    expect(only('[role=alert]').textContent).toBe('Is too long, is taken.')
    expect(document.querySelector('p.help')).toBeNull()
  })

  it('passes attributes to the input, and its class to the field', () => {
    const { element } = mountPart(
      TextField,
      { label: 'Name', class: 'wide', placeholder: 'tern', multiline: true },
      {},
      { modelValue: '' },
    )
    expect(element.classList).toContain('wide')
    expect(only('textarea').getAttribute('placeholder')).toBe('tern')
    expect(only('textarea').classList).not.toContain('wide')
  })
})

describe('PasswordField', () => {
  it('shows the password only on request', async () => {
    mountPart(PasswordField, { label: 'Password', autocomplete: 'off' }, {}, { modelValue: 'secret' })
    expect(input().type).toBe('password')
    only('[aria-label="Show password"]').click()
    await drawn()
    expect(input().type).toBe('text')
    expect(only('[aria-label="Hide password"]').getAttribute('aria-pressed')).toBe('true')
  })
})

describe('FieldError', () => {
  it('formats a message as a sentence, and shows nothing without one', () => {
    expect(mountPart(FieldError, { messages: 'is missing' }).element.textContent).toBe('Is missing.')
    expect(mountPart(FieldError, { messages: [] }).element.nodeType).toBe(Node.COMMENT_NODE)
  })
})

describe('choice components', () => {
  const options = [
    { value: 1, label: 'Guest' },
    { value: 2, label: 'Owner', disabled: true },
  ]

  it('keep the type of a selected value', async () => {
    const { values } = mountPart(Select, { label: 'Role', options }, {}, { modelValue: 2 })
    const select = only<HTMLSelectElement>('select')
    expect(only<HTMLLabelElement>('label').htmlFor).toBe(select.id)
    expect([...select.options].map((option) => option.disabled)).toEqual([false, true])
    select.selectedIndex = 0
    select.dispatchEvent(new Event('change'))
    await drawn()
    expect(values.value).toEqual({ modelValue: 1 })
  })

  it('switch on and off, but not while disabled', async () => {
    const { values } = mountPart(Switch, { label: 'Public' }, {}, { modelValue: false })
    expect([input().getAttribute('role'), input().getAttribute('aria-label')]).toEqual(['switch', 'Public'])
    input().click()
    await drawn()
    expect(values.value).toEqual({ modelValue: true })
    document.body.replaceChildren()
    const off = mountPart(Checkbox, { label: 'Public', disabled: true }, {}, { modelValue: false })
    input().click()
    expect(off.values.value).toEqual({ modelValue: false })
  })

  it('name a checkbox and a radio button by their label', async () => {
    mountPart(Checkbox, { label: 'Squash', help: 'One commit.' }, {}, { modelValue: true })
    expect(only('label').textContent).toContain('Squash')
    expect(input().checked).toBe(true)
    document.body.replaceChildren()
    const { values } = mountPart(Radio, { name: 'a', value: 'x', label: 'X' }, {}, { modelValue: 'y' })
    only('label').click()
    await drawn()
    expect(values.value).toEqual({ modelValue: 'x' })
  })

  it('offer three visibilities', async () => {
    const { values } = mountPart(VisibilityChoice, {}, {}, { modelValue: 'private' })
    const radios = [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')]
    expect(radios.map((radio) => radio.value)).toEqual(['private', 'internal', 'public'])
    radios[2]!.click()
    await drawn()
    expect(values.value).toEqual({ modelValue: 'public' })
  })
})

describe('Picker and Chips', () => {
  const items = [
    { value: '1', label: 'Mara' },
    { value: '2', label: 'Otto' },
  ]

  it('offers results, and clears its text after a choice', async () => {
    const onPick = heard()
    const { values } = mountPart(Picker, { label: 'People', items, onPick }, {}, { text: '' })
    expect(input().getAttribute('role')).toBe('combobox')
    input().focus()
    type(input(), 'ot')
    await drawn()
    expect(values.value).toEqual({ text: 'ot' })
    const options = [...document.querySelectorAll<HTMLElement>('[role=option]')]
    expect(options.map((option) => option.textContent?.trim())).toEqual(['Mara', 'Otto'])
    options[1]!.click()
    await drawn()
    expect(onPick).toHaveBeenCalledWith(items[1])
    expect(values.value).toEqual({ text: '' })
  })

  it('lists selected items, each with a named remove button unless it is fixed', () => {
    const onRemove = heard()
    mountPart(Chips, { label: 'Selected', items, onRemove })
    only('[aria-label="Remove Otto"]').click()
    expect(onRemove).toHaveBeenCalledWith('2')
    document.body.replaceChildren()
    mountPart(Chips, { label: 'Selected', items, fixed: true })
    expect(document.querySelectorAll('li')).toHaveLength(2)
    expect(document.querySelector('button')).toBeNull()
  })
})

describe('SearchField', () => {
  it('sends its text at once with Enter, and clears it with Escape', async () => {
    const { values } = mountPart(
      SearchField,
      { label: 'Search', placeholder: 'Name' },
      {},
      { modelValue: '' },
    )
    expect(input().getAttribute('aria-label')).toBe('Search')
    type(input(), 'heron')
    expect(values.value).toEqual({ modelValue: '' })
    press(input(), 'Enter')
    expect(values.value).toEqual({ modelValue: 'heron' })
    await drawn()
    press(input(), 'Escape')
    expect(values.value).toEqual({ modelValue: '' })
  })

  it('sends its text shortly after the last key', async () => {
    vi.useFakeTimers()
    const { values } = mountPart(
      SearchField,
      { label: 'Search', placeholder: 'Name' },
      {},
      { modelValue: '' },
    )
    type(input(), 'he')
    vi.advanceTimersByTime(100)
    type(input(), 'her')
    vi.advanceTimersByTime(100)
    expect(values.value).toEqual({ modelValue: '' })
    vi.advanceTimersByTime(100)
    expect(values.value).toEqual({ modelValue: 'her' })
    vi.useRealTimers()
  })
})

describe('forms', () => {
  it('submit through the page, not the browser', () => {
    const onSubmit = heard()
    mountPart(FormPage, { title: 'New issue', onSubmit })
    expect(only('h1').textContent).toBe('New issue')
    const event = new Event('submit', { cancelable: true })
    only('form').dispatchEvent(event)
    expect(onSubmit).toHaveBeenCalledOnce()
    expect(event.defaultPrevented).toBe(true)
  })

  it('have a control for each kind of setting, and mark changed and invalid values', async () => {
    const sections = [
      {
        title: 'General',
        lines: [
          { key: 'on', kind: 'switch', label: 'On' },
          { key: 'days', kind: 'number', label: 'Days', unit: 'days' },
          { key: 'token', kind: 'secret', label: 'Token', kept: true },
        ],
      },
    ]
    const draft = { on: true, days: '3', token: '' }
    mountPart(
      SettingLines,
      { sections, dirty: ['on'], fields: { days: ['is not a number'] } },
      {},
      { modelValue: draft },
    )
    expect(only<HTMLInputElement>('[role=switch]').checked).toBe(true)
    expect(only('.set.dirty').textContent).toContain('On')
    expect(only('.set.err [role=alert]').textContent).toBe('Is not a number.')
    expect(only<HTMLInputElement>('[type=password]').placeholder).toBe('Set. Type to replace.')
  })

  it('offer saving and discarding after a change', async () => {
    const [onSave, onDiscard] = [heard(), heard()]
    const quiet = mountPart(SettingsPage, { title: 'General', changes: 0, onSave })
    expect(document.querySelector('.savebar')).toBeNull()
    only('form').dispatchEvent(new Event('submit', { cancelable: true }))
    expect(onSave).not.toHaveBeenCalled()
    quiet.host.unmount()
    mountPart(SettingsPage, { title: 'General', changes: 2, problem: 'Name is taken', onSave, onDiscard })
    expect(only('.savebar').textContent).toContain('2 unsaved changes')
    expect(only('.savebar').textContent).toContain('Name is taken')
    const [discard, save] = [...document.querySelectorAll<HTMLButtonElement>('.savebar button')]
    discard!.click()
    save!.click()
    expect([onDiscard.mock.calls.length, onSave.mock.calls.length]).toEqual([1, 1])
  })
})
