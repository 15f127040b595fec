/** What is wrong with one setting: its name, and the sentence of the contract behind it. */
export type Problem = readonly [setting: string, text: string]
