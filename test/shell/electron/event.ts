/** An event that a listener can refuse, as Electron passes it. */
export interface Refusable {
  readonly defaultPrevented: boolean
  preventDefault(): void
}

export function refusable<Fields extends object>(fields: Fields): Fields & Refusable {
  let isPrevented = false
  return {
    ...fields,
    get defaultPrevented() {
      return isPrevented
    },
    preventDefault: () => {
      isPrevented = true
    },
  }
}
