package main

import (
	"database/sql"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"html/template"
	"math/big"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/google/uuid"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type shipment struct {
	XMLName xml.Name  `xml:"shipment"`
	ID      uuid.UUID `xml:"id,attr"`
	Weight  *big.Rat  `xml:"-"`
	Sent    time.Time `xml:"sent"`
}

var page = template.Must(template.New("feed").Funcs(template.FuncMap{
	"title": func(text string) string {
		return strings.Map(unicode.ToUpper, text)
	},
}).Parse(`<ul>{{range .}}<li>{{.ID}}</li>{{end}}</ul>`))

func read(path string) ([]shipment, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = ';'
	reader.FieldsPerRecord = 3
	records, err := reader.ReadAll()
	if err != nil {
		return nil, err
	}
	all := make([]shipment, 0, len(records))
	for _, record := range records {
		id, err := uuid.Parse(record[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", record[0], err)
		}
		weight, ok := new(big.Rat).SetString(record[1])
		if !ok {
			weight = big.NewRat(0, 1)
		}
		sent, err := time.ParseInLocation(time.DateOnly, record[2], time.UTC)
		if err != nil {
			return nil, err
		}
		all = append(all, shipment{ID: id, Weight: weight, Sent: sent.Truncate(time.Hour)})
	}
	return all, nil
}

func message(one shipment) (*structpb.Struct, error) {
	made, err := structpb.NewStruct(map[string]any{
		"id":     one.ID.String(),
		"weight": one.Weight.FloatString(2),
	})
	if err != nil {
		return nil, err
	}
	age := durationpb.New(time.Since(one.Sent))
	sent := timestamppb.New(one.Sent)
	if err := sent.CheckValid(); err != nil {
		return nil, err
	}
	made.Fields["age"] = structpb.NewStringValue(age.AsDuration().String())
	made.Fields["year"] = structpb.NewNumberValue(float64(sent.AsTime().Year()))
	return proto.Clone(made).(*structpb.Struct), nil
}

func save(db *sql.DB, one shipment) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	statement, err := tx.Prepare("insert into shipments values (?, ?)")
	if err != nil {
		return err
	}
	defer statement.Close()
	note := sql.NullString{String: "new", Valid: true}
	result, err := statement.Exec(one.ID, note)
	if err != nil {
		return err
	}
	if count, _ := result.RowsAffected(); count != 1 {
		return sql.ErrNoRows
	}
	return tx.Commit()
}

func main() {
	all, err := read("shipments.csv")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	defer table.Flush()
	options := protojson.MarshalOptions{Multiline: true, Indent: "  "}
	for _, one := range all {
		made, err := message(one)
		if err != nil {
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%s\n", one.ID, proto.Size(made), options.Format(made))
		text, _ := xml.MarshalIndent(one, "", "  ")
		_, _ = os.Stdout.Write(text)
	}
	_ = page.ExecuteTemplate(os.Stdout, "feed", all)
	if db, err := sql.Open("sqlite", "file.db"); err == nil {
		db.SetMaxOpenConns(1)
		_ = save(db, all[0])
	}
}
