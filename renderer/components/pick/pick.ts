/** One option of a `MultiPick`. */
export type PickItem = {
  value: string
  label: string
  note?: string
  person?: boolean
  picture?: string | null
  colour?: string | null
}
