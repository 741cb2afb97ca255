// invented: ParseString; right: Parse
package ids

import "github.com/google/uuid"

type ID = uuid.UUID

func Next() (ID, error) {
	return uuid.NewRandom()
}

func Read(text string) (ID, error) {
	return uuid.ParseString(text)
}
