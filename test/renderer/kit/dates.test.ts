import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import DateField from '../../../renderer/components/form/date/DateField.vue'
import { datesIn } from '../../../renderer/components/form/date/dates.ts'
import { keepClock } from '../../../renderer/composables/instanceClock.ts'
import { cleanUp, drawn, heard, mountPart, only, press, type } from './mount-part.ts'

cleanUp()
/** A Wednesday in local time. */
const NOW = new Date(2026, 10, 25, 9, 5).toISOString()
beforeEach(() => keepClock({ mode: 'frozen', now: NOW }))
afterEach(() => keepClock({ mode: 'real', now: NOW }))

describe('typed dates', () => {
  const english = datesIn('en-GB')
  const german = datesIn('de')

  it.each([
    ['2026-12-24', '2026-12-24'],
    ['24/12/2026', '2026-12-24'],
    ['24.12.26', '2026-12-24'],
    ['24 Dec 2026', '2026-12-24'],
    ['December 24th, 2027', '2027-12-24'],
    ['24 dec', '2026-12-24'],
    ['24/11', '2027-11-24'],
    ['1 Sept', '2027-09-01'],
    ['today', '2026-11-25'],
    ['Tomorrow', '2026-11-26'],
    ['yesterday', '2026-11-24'],
    ['next week', '2026-12-02'],
    ['in a week', '2026-12-02'],
    ['next month', '2026-12-25'],
    ['in 3 days', '2026-11-28'],
    ['in 1 day', '2026-11-26'],
    ['in 2 weeks', '2026-12-09'],
    ['3 months ago', '2026-08-25'],
    ['friday', '2026-11-27'],
    ['Wed', '2026-12-02'],
    ['  ', ''],
  ])('English: %s', (text, day) => {
    expect(english.read(text)).toBe(day)
  })

  it.each([
    ['24.12.2026', '2026-12-24'],
    ['24.12.', '2026-12-24'],
    ['24. Dez. 2026', '2026-12-24'],
    ['1. März', '2027-03-01'],
    ['heute', '2026-11-25'],
    ['morgen', '2026-11-26'],
    ['übermorgen', '2026-11-27'],
    ['nächste Woche', '2026-12-02'],
    ['nächsten Monat', '2026-12-25'],
    ['in 3 Tagen', '2026-11-28'],
    ['Freitag', '2026-11-27'],
    ['Mo', '2026-11-30'],
  ])('German: %s', (text, day) => {
    expect(german.read(text)).toBe(day)
  })

  it.each([
    '31/11/2026',
    '2026-02-29',
    '13',
    'soon',
    'in days',
    '24/12/2026 extra',
    '1/2/3/4',
    'x',
    '0/1/2027',
  ])('are refused: %s', (text) => {
    expect(english.read(text)).toBeNull()
  })

  it('stay in a short month', () => {
    keepClock({ mode: 'frozen', now: new Date(2027, 0, 31, 12).toISOString() })
    expect(english.read('next month')).toBe('2027-02-28')
    keepClock({ mode: 'frozen', now: new Date(2028, 1, 29, 12).toISOString() })
    expect(english.read('in 1 year')).toBe('2029-02-28')
  })

  it.each([
    ['2026-12-24T14:30', '2026-12-24T14:30'],
    ['24 Dec 2026, 14:30', '2026-12-24T14:30'],
    ['tomorrow 9:05', '2026-11-26T09:05'],
    ['1 oct 2 pm', '2027-10-01T14:00'],
    ['today 12:15 am', '2026-11-25T00:15'],
    ['18:00', '2026-11-25T18:00'],
    ['now', '2026-11-25T09:05'],
    ['tomorrow', '2026-11-26T07:00'],
    ['tomorrow 25:00', null],
    ['tomorrow 13 pm', null],
  ])('with a time: %s', (text, moment) => {
    expect(english.read(text, '07:00')).toBe(moment)
  })

  it('are read as they are written, on every day of two years', () => {
    const values = Array.from({ length: 731 }, (_, index) =>
      new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10),
    )
    for (const language of [english, german]) {
      expect(values.map((day) => language.read(language.write(day)))).toEqual(values)
      expect(values.map((day) => language.read(language.writeDigits(day)))).toEqual(values)
      expect(language.read(language.write('2027-03-01T23:59'), '00:00')).toBe('2027-03-01T23:59')
    }
  })
})

describe('DateField', () => {
  const input = () => only<HTMLInputElement>('input')
  const button = () => only<HTMLButtonElement>('[aria-haspopup=dialog]')
  const cell = (day: string) => only(`[data-value='${day}']`)
  const leave = () => input().dispatchEvent(new FocusEvent('blur'))
  /** Waits until the calendar is loaded and rendered. */
  const grid = async () => {
    await import('../../../renderer/components/form/date/DateCalendar.vue')
    for (let round = 0; round < 20 && !document.querySelector('[role=grid]'); round += 1) await drawn()
    await drawn()
    return only('[role=grid]')
  }
  const open = async () => {
    button().click()
    return grid()
  }
  const mounted = (props: Record<string, unknown> = {}, modelValue = '2026-12-24') => {
    const onChange = heard()
    return { onChange, ...mountPart(DateField, { label: 'Due', onChange, ...props }, {}, { modelValue }) }
  }

  it('shows its value in the language of the window, with label and help', async () => {
    const { values } = mounted({ help: 'Optional.' })
    expect(only<HTMLLabelElement>('label').htmlFor).toBe(input().id)
    expect([input().type, input().value]).toEqual(['text', '24 Dec 2026'])
    expect(document.getElementById(input().getAttribute('aria-describedby')!)?.textContent).toBe('Optional.')
    values.value = { modelValue: '2027-01-31' }
    await drawn()
    expect(input().value).toBe('31 Jan 2027')
    values.value = { modelValue: '' }
    await drawn()
    expect([input().value, input().placeholder]).toEqual(['', 'Date or “tomorrow”'])
  })

  it('follows what is typed, says what it means, and reports it once the field is left', async () => {
    const { values, onChange } = mounted()
    type(input(), 'in 3 days')
    await drawn()
    expect(values.value).toEqual({ modelValue: '2026-11-28' })
    expect(only('[role=status]').textContent).toMatch(/^Saturday,? 28 November 2026$/)
    expect([input().value, onChange.mock.calls.length]).toEqual(['in 3 days', 0])
    leave()
    await drawn()
    expect(input().value).toBe('28 Nov 2026')
    leave()
    expect(onChange.mock.calls).toEqual([['2026-11-28']])
    type(input(), '')
    await drawn()
    expect(values.value).toEqual({ modelValue: '' })
  })

  it('moves nothing while a button is pressed', async () => {
    const { onChange } = mounted()
    type(input(), 'in 3 days')
    window.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }))
    leave()
    await drawn()
    expect([input().value, onChange.mock.calls.length]).toEqual(['in 3 days', 0])
    window.dispatchEvent(new MouseEvent('mouseup', { bubbles: true }))
    await drawn()
    expect([input().value, onChange.mock.calls.length]).toEqual(['28 Nov 2026', 1])
  })

  it('keeps its value if the text is no date, and holds back the form', async () => {
    const { values, onChange } = mounted({ errors: ['is wrong'], min: '2026-11-26', max: '2027-12-31' })
    type(input(), 'soon')
    await drawn()
    expect(only('[role=alert]').textContent).toBe('Is wrong.')
    expect(input().checkValidity()).toBe(false)
    await drawn()
    expect(only('[role=alert]').textContent).toBe('Type a date like 25/11/2026, or a word like “tomorrow”.')
    type(input(), 'today')
    leave()
    await drawn()
    expect(only('[role=alert]').textContent).toBe('Choose 26 Nov 2026 or later.')
    type(input(), '1/1/2028')
    leave()
    await drawn()
    expect(only('[role=alert]').textContent).toBe('Choose 31 Dec 2027 or earlier.')
    expect([values.value, onChange.mock.calls.length]).toEqual([{ modelValue: '2026-12-24' }, 0])
    type(input(), 'tomorrow')
    await drawn()
    expect(input().checkValidity()).toBe(true)
    expect(values.value).toEqual({ modelValue: '2026-11-26' })
  })

  it('has a calendar with the roles of a grid, on the selected day', async () => {
    mounted()
    const calendar = await open()
    expect(only('[role=dialog]').getAttribute('aria-labelledby')).toBe(button().id)
    expect(button().getAttribute('aria-label')).toBe('Due: calendar')
    expect(only('.month').textContent).toBe('December 2026')
    // Six weeks from a Monday.
    const cells = [...calendar.querySelectorAll('[role=gridcell]')]
    expect([cells.length, cells[0]!.firstElementChild!.getAttribute('data-value')]).toEqual([
      42,
      '2026-11-30',
    ])
    const [chosen, ...others] = cells.filter((one) => one.getAttribute('aria-selected') === 'true')
    expect([chosen!.textContent?.trim(), others.length]).toEqual(['24', 0])
    expect(document.activeElement).toBe(cell('2026-12-24'))
    expect(cell('2026-12-24').getAttribute('aria-label')).toMatch(/^Thursday,? 24 December 2026$/)
  })

  it('is used by keyboard: days, weeks, months, and Enter', async () => {
    const { values, onChange } = mounted()
    input().focus()
    press(input(), 'ArrowDown')
    await grid()
    const go = async (key: string, more: KeyboardEventInit = {}) => {
      press(document.activeElement!, key, { code: key, ...more })
      await drawn()
      return document.activeElement?.getAttribute('data-value')
    }
    expect(await go('ArrowRight')).toBe('2026-12-25')
    expect(await go('ArrowUp')).toBe('2026-12-18')
    expect(await go('Home')).toBe('2026-12-14')
    expect(await go('End')).toBe('2026-12-20')
    expect(await go('PageDown')).toBe('2027-01-20')
    expect(await go('PageUp', { shiftKey: true })).toBe('2026-01-20')
    press(document.activeElement!, 'Enter', { code: 'Enter' })
    await drawn()
    await drawn()
    expect(values.value).toEqual({ modelValue: '2026-01-20' })
    expect(onChange.mock.calls).toEqual([['2026-01-20']])
    expect(document.querySelector('[role=grid]')).toBeNull()
    expect(document.activeElement).toBe(input())
  })

  it('closes its calendar with Escape, and keeps the value', async () => {
    const { values } = mounted()
    await open()
    press(document.activeElement!, 'Escape')
    await drawn()
    await drawn()
    expect(document.querySelector('[role=grid]')).toBeNull()
    expect(document.activeElement).toBe(input())
    expect(values.value).toEqual({ modelValue: '2026-12-24' })
  })

  it('shows the calendar at a click into the text, follows the text, and Enter closes it', async () => {
    mounted()
    input().focus()
    input().click()
    await grid()
    expect(document.activeElement).toBe(input())
    type(input(), '5 may 2027')
    await drawn()
    expect(only('.month').textContent).toBe('May 2027')
    const first = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })
    input().dispatchEvent(first)
    await drawn()
    expect([document.querySelector('[role=grid]'), first.defaultPrevented]).toEqual([null, true])
    const second = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true })
    input().dispatchEvent(second)
    expect(second.defaultPrevented).toBe(false)
  })

  it('marks today, and offers no day outside its limits', async () => {
    const { values } = mounted({ min: '2026-11-26', max: '2026-12-01' }, '')
    await open()
    expect(cell('2026-11-25').getAttribute('aria-current')).toBe('date')
    expect(document.activeElement).toBe(cell('2026-11-26'))
    cell('2026-11-24').click()
    await drawn()
    expect(values.value).toEqual({ modelValue: '' })
    const choices = [...document.querySelectorAll<HTMLButtonElement>('.choices button')]
    expect(choices.map((one) => [one.textContent?.trim(), one.disabled])).toEqual([
      ['Today', true],
      ['Tomorrow', false],
      ['In a week', true],
    ])
    choices[1]!.click()
    await drawn()
    expect(values.value).toEqual({ modelValue: '2026-11-26' })
  })

  it('is cleared, unless it is required', async () => {
    const { values, onChange, host } = mounted()
    await open()
    const clear = () =>
      [...document.querySelectorAll<HTMLButtonElement>('.choices button')].find(
        (one) => one.textContent?.trim() === 'Clear',
      )
    clear()!.click()
    await drawn()
    expect(values.value).toEqual({ modelValue: '' })
    expect(onChange.mock.calls).toEqual([['']])
    host.unmount()
    mounted({ required: true })
    await open()
    expect(clear()).toBeUndefined()
  })

  it('keeps the time of a moment when another day is chosen, and selects it to be typed', async () => {
    const { values } = mounted({ time: true }, '2026-12-24T14:30')
    expect(input().value).toBe('24 Dec 2026, 14:30')
    await open()
    cell('2026-12-25').click()
    await drawn()
    await drawn()
    expect(values.value).toEqual({ modelValue: '2026-12-25T14:30' })
    expect(input().value.slice(input().selectionStart!, input().selectionEnd!)).toBe('14:30')
  })

  it('gives a chosen day the current time, if there was none', async () => {
    const { values } = mounted({ time: true }, '')
    await open()
    cell('2026-11-26').click()
    await drawn()
    expect(values.value).toEqual({ modelValue: '2026-11-26T09:05' })
  })

  it('can be disabled', () => {
    mounted({ disabled: true })
    expect([input().disabled, button().disabled]).toEqual([true, true])
  })
})
